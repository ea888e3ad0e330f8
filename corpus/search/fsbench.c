// expect: assertion
// SCTBench CS.fsbench: inodes and blocks with a lock each; the search for a free block reads `busy` before it has the block's lock.
#include "threads.h"
enum { kThreads = 6, kInodes = 4, kBlocks = 3 };
static pthread_mutex_t inode_lock[kInodes], block_lock[kBlocks];
static int inode[kInodes], busy[kBlocks], owner_of[kBlocks];

static void* create(void* arg) {
  long self = (long)arg;
  int i = (int)(self % kInodes);
  LOCK(inode_lock[i]);
  if (inode[i] == 0) {
    for (int b = (i * 2) % kBlocks, n = 0; n < kBlocks; n++, b = (b + 1) % kBlocks) {
      if (busy[b]) continue;
      LOCK(block_lock[b]);
      busy[b] = 1;
      owner_of[b]++;
      assert(owner_of[b] == 1);  // FAILS
      inode[i] = b + 1;
      UNLOCK(block_lock[b]);
      break;
    }
  }
  UNLOCK(inode_lock[i]);
  return NULL;
}
int main(void) {
  for (int i = 0; i < kInodes; i++) pthread_mutex_init(&inode_lock[i], NULL);
  for (int i = 0; i < kBlocks; i++) pthread_mutex_init(&block_lock[i], NULL);
  for (long i = 0; i < kThreads; i++) start(create, (void*)i);
  join_all();
}
