// Managed variables: one memory, at one address, for the host and the device. cotenant cc lets the host's code
// reach them through pointers in section ct_pointers; here these pointers, and pointers among the program's
// initial data that the loader fills, are moved to the device's address.
#define _GNU_SOURCE
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "runtime.h"

// The variables are in a section of their own; what comes behind them has other pages. Hidden names are
// reached without a pointer that could be moved.
extern char __start_ct_managed[] __attribute__((visibility("hidden")));
extern char __stop_ct_managed[] __attribute__((visibility("hidden")));
extern char *__start_ct_pointers[] __attribute__((visibility("hidden")));
extern char *__stop_ct_pointers[] __attribute__((visibility("hidden")));
__attribute__((section("ct_pointers"), used)) static char *no_pointer = NULL;
__attribute__((section("ct_managed"), aligned(4096), used)) static char managed_end[4096];

// share shows the device's memory in the pages of a managed variable, and at the device's address. What the host
// has written there before goes along.
static void share(struct cotenant_variable *v) {
  char *host = (char *)v->host;
  if (host < __start_ct_managed || host >= __stop_ct_managed)
    return;
  uint64_t address, bytes;
  if (cotenant_symbol(host, &address, &bytes) != cudaSuccess)
    return;
  for (uint64_t i = 0; i < bytes; i++)
    if (host[i] != 0) {
      memcpy(cotenant_memory((void *)address, bytes), host, bytes);
      break;
    }
  struct cotenant_request request = REQUEST(COTENANT_SHARE, address, bytes);
  if (cotenant_show(host, address, bytes) != cudaSuccess || cotenant_map(address, bytes) != cudaSuccess ||
      cotenant_ask(&request, NULL) != cudaSuccess) {
    fprintf(stderr, "cotenant: the managed variable %s cannot be shared with the device\n", v->name);
    exit(1);
  }
  v->managed = (char *)address;
  v->bytes = bytes;
}

// moved is where a pointer into the host's pages of a managed variable belongs, NULL if it is none.
static char *moved(char *pointer) {
  if (pointer < __start_ct_managed || pointer >= __stop_ct_managed)
    return NULL;
  struct cotenant_variable *v;
  for (int i = 0; (v = cotenant_variable(i)) != NULL; i++)
    if (v->managed != NULL && pointer >= (char *)v->host && pointer < (char *)v->host + v->bytes)
      return v->managed + (pointer - (char *)v->host);
  return NULL;
}

// fill puts a pointer into a page that the loader may have made read-only.
static void fill(char **slot, char *pointer, const struct dl_phdr_info *object) {
  int sealed = 0;
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &object->dlpi_phdr[i];
    uintptr_t start = object->dlpi_addr + p->p_vaddr;
    sealed |= p->p_type == PT_GNU_RELRO && (uintptr_t)slot >= start && (uintptr_t)slot < start + p->p_memsz;
  }
  void *page = (void *)((uintptr_t)slot & ~4095ul);
  if (sealed && mprotect(page, 4096, PROT_READ | PROT_WRITE) != 0)
    return;
  *slot = pointer;
  if (sealed)
    mprotect(page, 4096, PROT_READ);
}

// move moves the pointers that the loader has filled in one object.
static int move(struct dl_phdr_info *object, size_t size, void *unused) {
  (void)size, (void)unused;
  const ElfW(Dyn) *d = NULL;
  for (int i = 0; i < object->dlpi_phnum; i++)
    if (object->dlpi_phdr[i].p_type == PT_DYNAMIC)
      d = (const ElfW(Dyn) *)(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
  uintptr_t table = 0, bytes = 0;
  for (; d != NULL && d->d_tag != DT_NULL; d++) {
    if (d->d_tag == DT_RELA)
      table = d->d_un.d_ptr;
    if (d->d_tag == DT_RELASZ)
      bytes = d->d_un.d_val;
  }
  if (table != 0 && table < object->dlpi_addr) // some loaders leave it as the file has it
    table += object->dlpi_addr;
  for (const ElfW(Rela) *r = (const ElfW(Rela) *)table, *end = r + bytes / sizeof *r; r < end; r++) {
    unsigned long type = ELF64_R_TYPE(r->r_info);
    if (type != R_X86_64_RELATIVE && type != R_X86_64_GLOB_DAT && type != R_X86_64_64)
      continue;
    char **slot = (char **)(object->dlpi_addr + r->r_offset), *to = moved(*slot);
    if (to != NULL)
      fill(slot, to, object);
  }
  return 0;
}

void cotenant_share_managed(void) {
  int found = 0;
  struct cotenant_variable *v;
  for (int i = 0; (v = cotenant_variable(i)) != NULL; i++) {
    share(v);
    found |= v->managed != NULL;
  }
  if (!found)
    return;
  for (char **slot = __start_ct_pointers, *to; slot < __stop_ct_pointers; slot++)
    if ((to = moved(*slot)) != NULL)
      *slot = to;
  dl_iterate_phdr(move, NULL);
}
