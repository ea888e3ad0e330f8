// The same access sites at every level of optimisation, and the same events. (Clang itself makes other branches and calls:
// at -O0, std::terminate() is called where it knows of no exception later.)
// RUN: %c++ -g -O0 -I%inputs %s -o %t.0 && %sites %t.0 | grep -Ev "^(BRANCH|CALL)" | sort > %t.0.sites
// RUN: %c++ -g -O1 -I%inputs %s -o %t.1 && %sites %t.1 | grep -Ev "^(BRANCH|CALL)" | sort > %t.1.sites
// RUN: %c++ -g -O2 -I%inputs %s -o %t.2 && %sites %t.2 | grep -Ev "^(BRANCH|CALL)" | sort > %t.2.sites
// RUN: diff %t.0.sites %t.1.sites && diff %t.0.sites %t.2.sites
// RUN: %count %t.0 2> %t.0.out && %count %t.1 2> %t.1.out && %count %t.2 2> %t.2.out
// RUN: diff %t.0.out %t.1.out && diff %t.0.out %t.2.out
#include <algorithm>
#include <vector>
int total;
int main() {
  std::vector<int> v{5, 3, 1, 4};
  std::sort(v.begin(), v.end());
  for (int x : v) total += x;
  return total != 13;
}
