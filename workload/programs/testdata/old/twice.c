// Without a declared type, as C had it before 1999.
static factor = 2;

twice(x) { return factor * x + (int)strlen(""); }
