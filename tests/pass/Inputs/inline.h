#pragma once
inline int calls = 0;
inline int& counter() { static int c = 40; return c; }
template <class T> struct Box { T value; Box(T v) : value(v) { ++calls; } virtual ~Box() { --calls; } virtual T get() { return value; } };
int other();
