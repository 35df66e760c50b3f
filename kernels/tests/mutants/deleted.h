// Which of the calls that `run` numbers is left out of the kernels in this process.
#ifndef SCATTER_TESTS_MUTANTS_DELETED_H
#define SCATTER_TESTS_MUTANTS_DELETED_H

/// Whether the call with this number is the one that the variable `SCATTER_TEST_DELETED` names.
bool Deleted(int number);

#endif
