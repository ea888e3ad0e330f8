// The program's thread function: exceptions and forced unwinding pass through here, so the frame stays trivial.
void* heddle_call_thread(void* (*entry)(void*), void* argument) { return entry(argument); }
