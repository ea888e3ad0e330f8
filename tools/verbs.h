// The verbs of the command line; each is one thin file. `argv` holds the arguments behind the verb.
// Returns the exit status (tools/status.h).
#pragma once

namespace heddle {

int hunt_main(int argc, char** argv);
int record_main(int argc, char** argv);
int replay_main(int argc, char** argv);
int lift_main(int argc, char** argv);
int explain_main(int argc, char** argv);
int simplify_main(int argc, char** argv);
int show_main(int argc, char** argv);
int doctor_main(int argc, char** argv);

}  // namespace heddle
