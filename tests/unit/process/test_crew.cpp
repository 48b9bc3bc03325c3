/* The crew: every item once, errors by name, and nobody left behind. */
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

extern "C" {
#include "sim/crew/crew.h"
}

namespace
{

/* More than a pipe takes at once. */
struct Outcome {
  int64_t item, process, before; /* before: how many items this worker has done */
  char padding[200000];
};

struct Course {
  std::function<ss_status(int64_t, Outcome *, ss_error *)> work;
  std::function<bool(int64_t)> known = [](int64_t) { return false; };
  std::function<ss_status(int64_t, ss_error *)> done = [](int64_t, ss_error *) { return SS_OK; };
  std::map<int64_t, Outcome> outcomes;
  std::vector<int64_t> taken; /* items whose outcome was known */
  std::vector<double> shares; /* of the progress */
  int64_t before = 0;
  const volatile int *stop = nullptr;
};

Course *current = nullptr;

ss_status known(void *context, int64_t item, void *outcome, bool *is_known, ss_error *)
{
  auto *course = static_cast<Course *>(context);
  *is_known = course->known(item);
  if (*is_known) static_cast<Outcome *>(outcome)->item = -item;
  return SS_OK;
}

ss_status work(void *context, int64_t item, void *outcome, ss_error *error)
{
  auto *course = static_cast<Course *>(context);
  auto *own = static_cast<Outcome *>(outcome);
  const bool clean = own->item == 0 && own->process == 0 && own->padding[sizeof own->padding - 1] == 0;
  own->item = clean ? item * item : -1;
  own->process = getpid();
  own->before = course->before++;
  own->padding[sizeof own->padding - 1] = 'x';
  return course->work ? course->work(item, own, error) : SS_OK;
}

ss_status done(void *context, int64_t item, const void *outcome, bool was_known, ss_error *error)
{
  auto *course = static_cast<Course *>(context);
  EXPECT_TRUE(course->outcomes.emplace(item, *static_cast<const Outcome *>(outcome)).second) << item;
  if (was_known) course->taken.push_back(item);
  return course->done(item, error);
}

ss_status run(Course &course, int64_t count, int64_t at_a_time, ss_error *error = nullptr)
{
  current = &course;
  ss_crew_work all = {};
  all.count = count;
  all.outcome_size = sizeof(Outcome);
  all.known = known;
  all.work = work;
  all.done = done;
  all.context = &course;
  all.at_a_time = at_a_time;
  all.stop = course.stop;
  all.progress = [](double share) { current->shares.push_back(share); };
  return ss_crew_run(&all, error);
}

void expect_no_children()
{
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

ss_status refuse(int64_t item, ss_error *error)
{
  return ss_error_set(error, SS_ERROR_INPUT, "file", 7, "item %lld is refused", (long long)item);
}

} // namespace

/* Outcomes that are there when somebody stops the crew stay; a worker that sleeps is not waited for. */
TEST(Crew, IsStopped)
{
  Course course;
  volatile int stop = 0;
  course.stop = &stop;
  course.work = [](int64_t item, Outcome *, ss_error *) {
    if (item > 0) (void)sleep(60);
    return SS_OK;
  };
  course.done = [&stop](int64_t, ss_error *) {
    stop = 1;
    return SS_OK;
  };
  ss_error error = {};
  EXPECT_EQ(run(course, 4, 2, &error), SS_ERROR_STOPPED);
  EXPECT_STREQ(error.message, "stopped");
  EXPECT_EQ(course.outcomes.size(), 1u);
  EXPECT_EQ(course.outcomes.count(0), 1u);
}

TEST(Crew, EveryItemOnceOnAnyNumberOfWorkers)
{
  for (const int workers : {1, 2, 4, 0}) {
    Course course;
    ASSERT_EQ(run(course, 25, workers), SS_OK);
    ASSERT_EQ(course.outcomes.size(), 25u);
    for (const auto &[item, outcome] : course.outcomes) {
      EXPECT_EQ(outcome.item, item * item);
      EXPECT_NE(outcome.process, getpid());
      EXPECT_EQ(outcome.padding[sizeof outcome.padding - 1], 'x');
    }
    ASSERT_EQ(course.shares.size(), 25u);
    EXPECT_EQ(course.shares.back(), 1.0);
    EXPECT_EQ(course.before, 0) << "the work is done elsewhere";
    expect_no_children();
  }
}

TEST(Crew, WorkersStayForSeveralItems)
{
  Course course;
  ASSERT_EQ(run(course, 6, 1), SS_OK);
  for (const auto &[item, outcome] : course.outcomes) {
    EXPECT_EQ(outcome.before, item);
    EXPECT_EQ(outcome.process, course.outcomes[0].process);
  }
}

TEST(Crew, NoItemsAndFewerItemsThanWorkers)
{
  Course none, few;
  EXPECT_EQ(run(none, 0, 4), SS_OK);
  EXPECT_TRUE(none.outcomes.empty());
  EXPECT_EQ(run(few, 2, 16), SS_OK);
  EXPECT_EQ(few.outcomes.size(), 2u);
  expect_no_children();
}

TEST(Crew, WhatIsKnownIsNotDoneAgain)
{
  Course course;
  course.known = [](int64_t item) { return item % 3 != 0; };
  course.work = [](int64_t item, Outcome *, ss_error *error) { return item % 3 == 0 ? SS_OK : refuse(item, error); };
  ASSERT_EQ(run(course, 10, 2), SS_OK);
  EXPECT_EQ(course.taken, (std::vector<int64_t>{1, 2, 4, 5, 7, 8}));
  EXPECT_EQ(course.outcomes[5].item, -5);
  EXPECT_EQ(course.outcomes[6].item, 36);
}

/* Item 3 takes longer to fail than items 5 and 9. */
TEST(Crew, TheFirstItemThatFailsIsTheError)
{
  for (const int workers : {1, 2, 8}) {
    Course course;
    course.work = [](int64_t item, Outcome *, ss_error *error) {
      if (item == 3) usleep(100000);
      return item == 3 || item == 5 || item == 9 ? refuse(item, error) : SS_OK;
    };
    ss_error error = {};
    EXPECT_EQ(run(course, 20, workers, &error), SS_ERROR_INPUT);
    EXPECT_STREQ(error.message, "item 3 is refused");
    EXPECT_STREQ(error.file, "file");
    EXPECT_EQ(error.line, 7);
    for (int item = 0; item < 3; ++item) EXPECT_EQ(course.outcomes.count(item), 1u);
    if (workers == 1) {
      EXPECT_EQ(course.outcomes.count(19), 0u); /* with more of them, others may have done it meanwhile */
    }
    expect_no_children();
  }
}

TEST(Crew, AnOutcomeThatCannotBeTakenIsAnError)
{
  Course course;
  course.done = [](int64_t item, ss_error *error) {
    return item == 4 ? ss_error_set(error, SS_ERROR_OUTPUT, NULL, 0, "disk full") : SS_OK;
  };
  ss_error error = {};
  EXPECT_EQ(run(course, 100, 3, &error), SS_ERROR_OUTPUT);
  EXPECT_STREQ(error.message, "disk full");
  expect_no_children();
}

TEST(Crew, WorkersThatDieAreNamed)
{
  const struct {
    std::function<void()> die;
    const char *message;
  } cases[] = {
      {[] { raise(SIGKILL); }, "the process that worked on item 2 was ended by signal 9 (Killed)"},
      {[] { (void)signal(SIGABRT, SIG_DFL), abort(); },
       "the process that worked on item 2 was ended by signal 6 (Aborted)"},
      {[] { _exit(7); }, "the process that worked on item 2 stopped with status 7"},
  };
  for (const auto &c : cases)
    for (const int workers : {1, 3}) {
      Course course;
      course.work = [&c](int64_t item, Outcome *, ss_error *) {
        if (item == 2) c.die();
        return SS_OK;
      };
      ss_error error = {};
      EXPECT_EQ(run(course, 10, workers, &error), SS_ERROR_PROCESS);
      EXPECT_STREQ(error.message, c.message);
      EXPECT_EQ(course.outcomes.count(1), 1u);
      expect_no_children();
    }
}

/* A worker that is killed between two items, when it waits for the next one. */
TEST(Crew, AWorkerThatDiesIdle)
{
  Course course;
  course.done = [&course](int64_t item, ss_error *) {
    if (item == 0) kill((pid_t)course.outcomes[0].process, SIGKILL);
    return SS_OK;
  };
  ss_error error = {};
  EXPECT_EQ(run(course, 3, 1, &error), SS_ERROR_PROCESS);
  EXPECT_STREQ(error.message, "the process that worked on item 1 was ended by signal 9 (Killed)");
}

/* Workers of a process that is killed go with it: the pipe they hold open closes. */
TEST(Crew, WorkersEndWithTheirParent)
{
  int ends[2];
  char byte = 0;
  ASSERT_EQ(pipe(ends), 0);
  const pid_t parent = fork();
  if (parent == 0) {
    Course course;
    course.work = [&ends](int64_t, Outcome *, ss_error *) {
      (void)!write(ends[1], "w", 1);
      for (;;) pause();
      return SS_OK;
    };
    run(course, 2, 2);
    _exit(0);
  }
  close(ends[1]);
  for (int i = 0; i < 2; ++i) ASSERT_EQ(read(ends[0], &byte, 1), 1);
  kill(parent, SIGKILL);
  waitpid(parent, nullptr, 0);
  EXPECT_EQ(read(ends[0], &byte, 1), 0);
  close(ends[0]);
}
