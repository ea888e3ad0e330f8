void plain_call(void (*callback)(int), int who) {
  callback(who);
  __asm__ volatile("");
}
