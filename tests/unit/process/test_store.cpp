/* The database of results: what is kept is found, and what is not ours or damaged is refused and left as it was. */
#include <gtest/gtest.h>

#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <random>
#include <set>
#include <string>
#include <vector>

extern "C" {
#include "sim/store/store.h"
}

#include "tests/support/fixtures.hpp"
#include "tests/support/scratch.hpp"
#include "tests/support/seed.hpp"

using namespace stepsim;

namespace
{

ss_key key_of(int64_t number)
{
  ss_digest *digest = ss_digest_create();
  ss_digest_add_count(digest, number);
  const ss_key key = ss_digest_key(digest);
  ss_digest_destroy(digest);
  return key;
}

/* An open database, closed at the end. */
class Store
{
public:
  explicit Store(const std::string &path, bool writable = true)
  {
    status = ss_store_open(path.c_str(), writable, &store, &error);
  }
  ~Store()
  {
    ss_store_close(store);
  }
  Store(const Store &) = delete;
  Store &operator=(const Store &) = delete;

  ss_status keep(int64_t number, double outcome)
  {
    ss_store_row row = {key_of(number), ss_record_empty(), &outcome, sizeof outcome};
    row.record.kind = "test";
    row.record.label = "it's \"quoted\", \xc3\xa9";
    row.record.gpus = number;
    row.record.estimate_s = outcome / 3;
    return ss_store_keep(store, &row, &error);
  }

  /* NaN where there is none. */
  double find(int64_t number)
  {
    void *outcome = nullptr;
    size_t size = 0;
    const ss_key key = key_of(number);
    status = ss_store_find(store, &key, &outcome, &size, &error);
    double value = NAN;
    if (outcome != nullptr && size == sizeof value) memcpy(&value, outcome, size);
    free(outcome);
    return value;
  }

  std::vector<int64_t> list()
  {
    std::vector<int64_t> gpus;
    status = ss_store_list(
        store,
        [](void *context, const ss_store_row *row, ss_error *) {
          static_cast<std::vector<int64_t> *>(context)->push_back(row->record.gpus);
          return SS_OK;
        },
        &gpus, &error);
    return gpus;
  }

  ss_store *store = nullptr;
  ss_status status;
  ss_error error = {};
};

void write_file(const std::string &path, const std::string &bytes)
{
  std::ofstream(path, std::ios::binary) << bytes;
}

std::string filled_database(const Scratch &scratch, int64_t rows)
{
  const std::string path = scratch.path("filled.db");
  Store store(path);
  for (int64_t i = 0; i < rows; ++i) EXPECT_EQ(store.keep(i, 10.0 * (double)i), SS_OK);
  return path;
}

/* Refused for this reason, by both ways to open, and not touched. */
void expect_refused(const std::string &path, const std::string &reason)
{
  const std::string before = read_file(path);
  for (const bool writable : {true, false}) {
    const Store store(path, writable);
    EXPECT_EQ(store.status, SS_ERROR_INPUT);
    EXPECT_EQ(store.store, nullptr);
    EXPECT_EQ(store.error.file, path);
    EXPECT_NE(std::string(store.error.message).find(reason), std::string::npos) << store.error.message;
  }
  EXPECT_EQ(read_file(path), before);
}

void execute(const std::string &path, const char *sql)
{
  sqlite3 *database = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(database, sql, nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(database);
  sqlite3_close(database);
}

} // namespace

TEST(Store, FindsWhatItKeeps)
{
  const Scratch scratch;
  const std::string path = scratch.path("results.db");
  {
    Store store(path);
    ASSERT_EQ(store.status, SS_OK) << store.error.message;
    EXPECT_TRUE(std::isnan(store.find(1)));
    EXPECT_EQ(store.keep(1, 0.1), SS_OK);
    EXPECT_EQ(store.keep(2, -1e300), SS_OK);
    EXPECT_EQ(store.find(1), 0.1);
  }
  Store again(path);
  ASSERT_EQ(again.status, SS_OK) << again.error.message;
  EXPECT_EQ(again.find(1), 0.1);
  EXPECT_EQ(again.find(2), -1e300);
  EXPECT_TRUE(std::isnan(again.find(3)));
  EXPECT_EQ(again.keep(2, 7.0), SS_OK) << "in place of the one before";
  EXPECT_EQ(again.find(2), 7.0);
  EXPECT_EQ(again.list(), (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(scratch.entries(), (std::vector<std::string>{"results.db"}));
}

TEST(Store, RowsAreWhatTheyWere)
{
  const Scratch scratch;
  Store store(scratch.path("results.db"));
  const std::string outcome("\0\x01\xff", 3);
  ss_store_row row = {key_of(5), ss_record_empty(), outcome.data(), outcome.size()};
  row.record.workload = "gpt";
  row.record.parts = "{}";
  row.record.fits = 0;
  row.record.simulation_s = INFINITY;
  row.record.memory_bytes = -0.0;
  ASSERT_EQ(ss_store_keep(store.store, &row, nullptr), SS_OK);
  const auto see = [](void *, const ss_store_row *found, ss_error *error) {
    EXPECT_STREQ(found->record.workload, "gpt");
    EXPECT_STREQ(found->record.parts, "{}");
    EXPECT_STREQ(found->record.platform, "");
    EXPECT_EQ(found->record.fits, 0);
    EXPECT_EQ(found->record.gpus, -1);
    EXPECT_EQ(found->record.simulation_s, INFINITY);
    EXPECT_EQ(found->record.memory_bytes, 0.0);
    EXPECT_TRUE(std::isnan(found->record.estimate_s));
    EXPECT_EQ(std::string((const char *)found->outcome, found->size), std::string("\0\x01\xff", 3));
    return ss_error_set(error, SS_ERROR_OUTPUT, NULL, 0, "enough");
  };
  EXPECT_EQ(ss_store_list(store.store, see, nullptr, &store.error), SS_ERROR_OUTPUT);
  EXPECT_STREQ(store.error.message, "enough");
}

TEST(Store, EmptyFilesAreNew)
{
  const Scratch scratch;
  const std::string path = scratch.path("empty.db");
  write_file(path, "");
  const Store reader(path, false);
  EXPECT_EQ(reader.status, SS_ERROR_INPUT);
  Store store(path);
  EXPECT_EQ(store.status, SS_OK) << store.error.message;
  EXPECT_EQ(store.keep(1, 1.0), SS_OK);
}

/* Two processes write 50 results each, as many of them the same as not. */
TEST(Store, ProcessesWriteAtTheSameTime)
{
  const Scratch scratch;
  const std::string path = scratch.path("shared.db");
  for (int process = 0; process < 2; ++process)
    if (fork() == 0) {
      bool good = true;
      Store store(path);
      for (int i = 0; good && i < 50; ++i) good = store.keep(25 * process + i, i) == SS_OK;
      ss_store_close(store.store);
      _exit(good ? 0 : 1);
    }
  for (int process = 0; process < 2; ++process) {
    int status = -1;
    wait(&status);
    EXPECT_EQ(status, 0);
  }
  Store store(path);
  EXPECT_EQ(store.list().size(), 75u);
}

/* Version 1 had no column for the constants of a platform: it is added, and its rows stay what they are. */
TEST(Store, TakesOverVersion1)
{
  const Scratch scratch;
  const std::string path = filled_database(scratch, 3);
  execute(path, "ALTER TABLE result DROP COLUMN kernels; PRAGMA user_version=1");
  {
    Store store(path, false);
    ASSERT_EQ(store.status, SS_OK) << store.error.message;
    EXPECT_EQ(store.list(), (std::vector<int64_t>{0, 1, 2}));
    EXPECT_EQ(store.find(2), 20.0);
    EXPECT_EQ(store.keep(3, 30.0), SS_OK);
  }
  Store again(path);
  EXPECT_EQ(again.list().size(), 4u);
  EXPECT_EQ(again.status, SS_OK);
}

TEST(Store, RefusesWhatIsNotOurs)
{
  const Scratch scratch;
  const std::string path = scratch.path("file");
  write_file(path, "short");
  expect_refused(path, "is not a database");
  write_file(path, std::string(5000, 'x'));
  expect_refused(path, "is not a database");
  unlink(path.c_str());
  execute(path, "CREATE TABLE t(a); INSERT INTO t VALUES(1)");
  expect_refused(path, "is a database of another program");
  unlink(path.c_str());
  execute(path, "PRAGMA journal_mode=WAL; CREATE TABLE t(a); INSERT INTO t VALUES(1)");
  expect_refused(path, "is a database of another program");
  const std::string ours = filled_database(scratch, 3);
  execute(ours, "PRAGMA user_version=3");
  expect_refused(ours, "was written by a later version");
  execute(ours, "PRAGMA user_version=2; ALTER TABLE result RENAME COLUMN gpus TO cpus");
  expect_refused(ours, "cannot be used as a database");
  const Store folder(scratch.path("."));
  EXPECT_EQ(folder.status, SS_ERROR_INPUT);
  const Store none(scratch.path("none"), false);
  EXPECT_EQ(none.status, SS_ERROR_INPUT);
  EXPECT_STREQ(none.error.message, "cannot be read: No such file or directory");
}

TEST(Store, RefusesWhatIsCutOff)
{
  const Scratch scratch;
  const std::string path = filled_database(scratch, 50), whole = read_file(path);
  for (const size_t size : {size_t{50}, size_t{100}, size_t{4096}, whole.size() / 2, whole.size() - 4096}) {
    write_file(path, whole.substr(0, size));
    SCOPED_TRACE(size);
    expect_refused(path, "");
  }
}

/* One bit that is wrong, anywhere: it is noticed, or it does not matter. Few of the first page, which has the header,
 * are left out. */
TEST(Store, BitsThatFlip)
{
  const Scratch scratch;
  const std::string path = filled_database(scratch, 40), whole = read_file(path);
  std::mt19937 random(1 + seed);
  int noticed = 0;
  for (int turn = 0; turn < 400; ++turn) {
    const size_t place = turn < 100 ? (size_t)turn : random() % whole.size();
    std::string bytes = whole;
    bytes[place] = (char)(bytes[place] ^ (1 << random() % 8));
    write_file(path, bytes);
    Store store(path, false);
    std::vector<int64_t> gpus;
    if (store.status == SS_OK) gpus = store.list();
    if (store.status == SS_OK) {
      EXPECT_EQ(gpus.size(), 40u) << place;
    } else {
      EXPECT_EQ(store.status, SS_ERROR_INPUT) << place << store.error.message;
      ++noticed;
    }
    if (store.store != nullptr) {
      const double outcome = store.find(7);
      EXPECT_TRUE(outcome == 70.0 || store.status == SS_ERROR_INPUT) << place;
    }
    EXPECT_EQ(read_file(path), bytes) << place;
  }
  EXPECT_GT(noticed, 100);
}

/* Every attribute and every property makes another key; where they were read does not. */
TEST(Digest, OfEverythingThatMatters)
{
  const ss_workload workload = make_workload();
  const ss_machine machine = make_machine(PlatformSpec());
  std::set<std::string> keys;
  const auto add = [&keys](const ss_workload &w, const ss_machine &m) {
    ss_digest *digest = ss_digest_create();
    char text[SS_KEY_TEXT_SIZE];
    ss_digest_add_workload(digest, &w);
    ss_digest_add_machine(digest, &m);
    const ss_key key = ss_digest_key(digest);
    ss_key_text(&key, text);
    ss_digest_destroy(digest);
    return keys.insert(text).second;
  };
  EXPECT_TRUE(add(workload, machine));
  for (int i = 0; i < SS_ATTRIBUTE_TOTAL; ++i) {
    ss_workload other = workload;
    char *field = (char *)&other + ss_workload_attributes()[i].offset;
    field[0] = (char)(field[0] ^ 1);
    EXPECT_EQ(add(other, machine), i != SS_AT_placement_ranks) << ss_workload_attributes()[i].name;
  }
  for (int i = 0; i < SS_PROPERTY_TOTAL; ++i) {
    ss_machine other = machine;
    char *field = (char *)&other + ss_machine_properties()[i].offset;
    if (ss_machine_properties()[i].type == SS_PROPERTY_CURVE)
      ++((ss_curve *)field)->count;
    else
      field[0] = (char)(field[0] ^ 1);
    EXPECT_TRUE(add(workload, other)) << ss_machine_properties()[i].name;
  }
  ss_workload moved = workload;
  std::strcpy(moved.file, "elsewhere");
  moved.line[0] = 77;
  EXPECT_FALSE(add(moved, machine));
}

TEST(Digest, OfFiles)
{
  const Scratch scratch;
  ss_key one, other;
  ss_error error = {};
  write_file(scratch.path("a"), std::string(100000, 'a'));
  write_file(scratch.path("b"), std::string(99999, 'a') + "b");
  write_file(scratch.path("c"), std::string(100000, 'a'));
  ASSERT_EQ(ss_digest_file(scratch.path("a").c_str(), &one, &error), SS_OK);
  ASSERT_EQ(ss_digest_file(scratch.path("b").c_str(), &other, &error), SS_OK);
  EXPECT_NE(memcmp(&one, &other, sizeof one), 0);
  ASSERT_EQ(ss_digest_file(scratch.path("c").c_str(), &other, &error), SS_OK);
  EXPECT_EQ(memcmp(&one, &other, sizeof one), 0);
  EXPECT_EQ(ss_digest_file(scratch.path("d").c_str(), &other, &error), SS_ERROR_INPUT);
  EXPECT_EQ(ss_digest_file(scratch.path("").c_str(), &other, &error), SS_ERROR_INPUT);
  EXPECT_EQ(ss_digest_program(&one, &error), SS_OK);
}
