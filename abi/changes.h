// HeddleResult.wrote_files: what a run changed that another run would see.
#pragma once

#define HEDDLE_CHANGED_FILES 1u    // files or directories
#define HEDDLE_CHANGED_OUTSIDE 2u  // some of them not below the folder that the run started in

