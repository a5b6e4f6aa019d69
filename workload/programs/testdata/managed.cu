// Managed variables have one address for the host and the device: in pointers of initial data, in pointers that
// the host makes, and in what the kernel finds.
#include "check.h"

struct node {
  int value;
  node *next;
};

__device__ __managed__ node first = {1, 0}, second = {2, 0};
static __managed__ int table[3000];
namespace {
__managed__ double factor = 0.5;
}
node *start = &first;
int *middle = table + 1500;

__global__ void follow(node *list, node **same, int *t, double *f) {
  int sum = 0;
  for (node *n = list; n != 0; n = n->next)
    sum += n->value;
  t[0] = sum;
  table[1] = sum + 1;
  t[2] = t == table && f == &factor;
  *f *= 3;
  same[0] = &first;
}

int main() {
  node **same;
  OK(cudaMallocManaged(&same, sizeof *same));
  first.next = &second;
  follow<<<1, 1>>>(start, same, table, &factor);
  OK(cudaDeviceSynchronize());
  CHECK(table[0] == 3 && table[1] == 4 && table[2] == 1 && factor == 1.5);
  CHECK(same[0] == &first && same[0]->next == &second && same[0]->next->value == 2);
  void *symbol;
  OK(cudaGetSymbolAddress(&symbol, first));
  CHECK(symbol == &first && symbol == start);
  middle[0] = 5;
  int five = 0;
  OK(cudaMemcpyFromSymbol(&five, table, sizeof five, 1500 * sizeof(int)));
  CHECK(five == 5);
  OK(cudaMemcpy(&five, &first.value, sizeof five, cudaMemcpyDefault));
  CHECK(five == 1);
  cudaPointerAttributes a;
  OK(cudaPointerGetAttributes(&a, &second));
  CHECK(a.hostPointer == (void *)&second && a.devicePointer == (void *)&second);
  OK(cudaFree(same));
  printf("PASSED\n");
}
