/* Words of shell scripts that run: what bash would hand to commands. */
#include "tests/support/inputs.hpp"

#include <memory>

extern "C" {
#include "sim/import/shell/arithmetic.h"
#include "sim/import/shell/condition.h"
#include "sim/import/shell/shell.h"
}

namespace
{

/* The words, with a question mark ahead of those that only a run decides. */
std::string words_of(const std::string &script)
{
  const std::unique_ptr<ss_shell> shell(new ss_shell);
  std::string words;
  ss_shell_init(shell.get(), script.c_str());
  while (ss_shell_next(shell.get()))
    words += (words.empty() ? "" : " ") + std::string(shell->choice > 0 ? "?" : "") + shell->word.shown;
  return words;
}

struct Words {
  std::string script, expected;
};

void expect_words(const std::vector<Words> &cases)
{
  for (const Words &c : cases) EXPECT_EQ(words_of(c.script), c.expected) << c.script;
}

ss_chance chance_of(const std::string &condition)
{
  const std::unique_ptr<ss_shell_variables> variables(new ss_shell_variables());
  ss_shell_set(variables.get(), "A", "x");
  ss_shell_set(variables.get(), "N", "8");
  return ss_shell_condition(variables.get(), condition.c_str(), condition.size());
}

} // namespace

TEST(Shell, Conditions)
{
  for (const char *const yes : {"[ $A = x ]",
                                "[[ $A == x ]]",
                                "[ \"$A\" != y ]",
                                "[ $N -eq 8 ]",
                                "[ $N -ne 7 ]",
                                "[ $N -gt 7 ]",
                                "[ $N -lt 9 ]",
                                "[ $N -le 8 ]",
                                "[ $N -ge 8 ]",
                                "[ -z \"$B\" ]",
                                "[ -n \"$A\" ]",
                                "[ -z $1 ]",
                                "[[ $# -eq 0 ]]",
                                "[ \"${B:-x}\" = x ]",
                                "[ a = b ] || [ $A = x ]",
                                "[ $A = x ] && ! [ $N = 7 ]",
                                "[[ $A = x && $N -gt 1 ]]",
                                "[[ $A = y || ( $N = 8 ) ]]",
                                "[ $A = x -a $N = 8 ]",
                                "[[ $A = [a-z] ]]",
                                "[[ ! $A = y ]]",
                                "(( N * 2 == 16 ))",
                                "true",
                                "[ $A ]",
                                "test $A = x",
                                "test -n \"$A\" && test $N -gt 7",
                                "test -z",
                                "test \\( $A = y \\) -o $N = 8",
                                "! test -z \"$A\" || false",
                                "[ -f file ] || true"})
    EXPECT_EQ(chance_of(yes), SS_CHANCE_ALWAYS) << yes;
  for (const char *const no :
       {"[ $A = y ]", "[ $N -lt 8 ]", "[ -n \"$B\" ]", "[ $A = x ] && [ $N = 9 ]", "false", "[ $B ]",
        "[[ $A == \"[a-z]\" ]]", "((N < 8))", "[ -f file ] && false", "! true", "[ ]", "test $A = y", "test $B"})
    EXPECT_EQ(chance_of(no), std::string(no) == "[ ]" ? SS_CHANCE_MAYBE : SS_CHANCE_NEVER) << no;
  for (const char *const open : {"[ -f file ]", "grep -q x file", "[ $(nproc) = 8 ]", "[ `id` = 0 ]", "[[ $A =~ x ]]",
                                 "! test", "[ $? -eq 0 ]", "true | cat"})
    EXPECT_EQ(chance_of(open), SS_CHANCE_MAYBE) << open;
}

TEST(Shell, Arithmetic)
{
  const std::unique_ptr<ss_shell_variables> variables(new ss_shell_variables());
  ss_shell_set(variables.get(), "N", "8");
  const std::vector<std::pair<const char *, long long>> cases = {{"1 + 2 * 3", 7},
                                                                 {"(1 + 2) * 3", 9},
                                                                 {"N / 3", 2},
                                                                 {"N % 3", 2},
                                                                 {"-N + 2", -6},
                                                                 {"10 - 3 - 2", 5},
                                                                 {"2 * (N - (1+1))", 12},
                                                                 {"N >= 8 && 3 < 2 || 1", 1},
                                                                 {"N > 4 ? 2 : 1", 2},
                                                                 {"N > 8 ? 2 : N == 8 ? 3 : 4", 3},
                                                                 {"0 ? 1 / 0 : (1 ? 5 : M) + 1", 6}};
  long long value;
  for (const auto &c : cases) {
    EXPECT_TRUE(ss_shell_arithmetic(variables.get(), c.first, &value)) << c.first;
    EXPECT_EQ(value, c.second) << c.first;
  }
  for (const char *const wrong : {"", "1 +", "M + 1", "1 / 0", "9223372036854775807 + 1", "(1", "1)", "2 ** 3", "0x",
                                  "1 ? 2", "1 ? : 2", "1 ? 2 :", "1 ? 1 / 0 : 2", "0 ? ( : 2"})
    EXPECT_FALSE(ss_shell_arithmetic(variables.get(), wrong, &value)) << wrong;
}

TEST(Shell, Expansions)
{
  expect_words({{"A=8; B=$((A*2)); x $B ${B} $((B/(1+1)))", "x 16 16 8"},
                {"x ${A-1} ${A:-2} ${A:=3} $A ${A:+4} ${B:+5}", "x 1 2 3 3 4 "},
                {"A=; x ${A-1} ${A:-2}", "x ${A-1} 2"},
                {"x ${A:-${B:-\"c\"}} ${C} $1 $(nproc --all)", "x c ${C} $1 $(nproc --all)"},
                {"x $((C*2)) ${A%,} --n=\"a b\"", "x $((C*2)) ${A%,} --n=a b"},
                {"A=\"$(f \"x y\")\"; x $A", "x $A"},
                {"A=1; A+=2; x $A", "x 12"}});
}

TEST(Shell, Branches)
{
  expect_words({{"A=1\nif [ $A = 1 ]; then\n x; elif [ $A = 2 ]; then\n y\nelse z; fi; end", "x end"},
                {"A=2\nif [ $A = 1 ]; then x; elif [ $A = 2 ]\nthen y; else z; fi; end", "y end"},
                {"if [ $A ]; then x; else if [ -z $A ]; then y; else z; fi; fi; end", "y end"},
                {"if [ -f a ]; then x; elif true; then y; else z; fi; end", "?x ?y end"},
                {"case $S in a|b) x;; c) y;; *) z;; esac; end", "z end"},
                {"S=b\ncase \"$S\" in\n \"a\" | \"b\")\n x\n ;;\n (c) y;; *) z\nesac\nend", "x end"},
                {"case $(f) in a) x;; *) z;; esac; end", "?x ?z end"},
                {"[ $A ] && x || y; end", "y end"},
                {"A=1; test \"$A\" = \"1\" && x || y; test $A = 2; z", "x ?y z"},
                {"if test $# -gt 0; then x; fi; ! test -n \"$A;\" || y; (test $A); test -f z || z", "y ?z"},
                {"test $# -gt 0 # && x\ny; test \"$(f; g)\" = \"a\" && z", "y ?z"},
                {"[ -z $A ] && x || y; end", "x ?y end"},
                {"[ -z $A ] && { x; y; } || { z; }; end", "x y end"},
                {"[ $A ] &&\n x\nend", "end"},
                {"f x && y || z", "f x ?y ?z"},
                {"for i in a b; do x $i; done; for i in; do y; done; end", "x a end"},
                {"A=(a b)\nfor i in \"${A[@]}\"; do x $i; done", "a b x a"},
                {"while [ $# -gt 0 ]; do x; done; until true; do y; done; end", "end"},
                {"[ $A ] && B=(--x\n --y\n) && z\nend ${B[@]}", "end ${B[@]}"},
                {"if true; then if; fi", ""},
                {"fi; done; esac; } ; ;; end", "end"}});
}

/* A value that is one of two is none. */
TEST(Shell, Values)
{
  expect_words({{"A=1; if [ -f x ]; then A=2; fi; x $A", "x $A"},
                {"A=1; if [ -f x ]; then A=1; fi; x $A", "x 1"},
                {"A=1; if [ $A = 2 ]; then A=2; fi; x $A", "x 1"},
                {"A=1; [ -d x ] && A=2; x $A", "x $A"},
                {"if [ -f x ]; then A=2; fi; if [ $A = 2 ]; then x; fi", "?x"},
                {"IFS=',' read -r A B C <<< \"1,2,3,4\"; x $A $B $C", "read x 1 2 3,4"},
                {"IFS=, read A B <<< 1,2; read C D <<< \"3 4,5\"; x $A $C $D", "read read x 1 3 4,5"},
                {"IFS=,; read A B <<< 1,2; x $A", "read x 1"},
                {"read A; x $A", "read A x $A"}});
}

TEST(Shell, ValuesThatEnd)
{
  expect_words({{"A=1; B=2; unset -v A; x ${A:-8} $B", "x 8 2"},
                {"A=1; if [ -f x ]; then unset A; fi; x $A", "x $A"},
                {"A=1; if false; then unset A; fi; x $A", "x 1"},
                {"if false; then : ${A:=8}; fi; : ${A:=2}; x $A", ": 2 x 2"},
                {"if [ -f x ]; then : ${A:=8}; fi; x $A", "?: ?8 x $A"}});
}

TEST(Shell, NumbersAsCommands)
{
  expect_words({{"((A = 4)); x $A", "x 4"},
                {"A=3; ((A = A * 2 + 1)) && x $A", "x 7"},
                {"A=3; ((A *= 2)); x $A", "x $A"},
                {"A=3; ((A++)); B=1; ((--B)); x $A $B", "x $A $B"},
                {"A=3; ((B = ++A)); x $A $B", "x $A $B"},
                {"A=3; ((A == 3)) && x $A; ((A <= 2)) || y", "x 3 y"},
                {"if false; then ((A = 4)); fi; x ${A:-2}", "x 2"},
                {"((x; y)\nz", "x y z"},
                {"(()", ""}});
}

/* Whether they are called is not known; what they give first is what their commands have. */
TEST(Shell, Functions)
{
  expect_words({{"A=4; f() { A=1; }; x $A", "f x $A"},
                {"A=4; f() { A=4; B=1; B=2; x $B; }\nx $A", "f x 2 x 4"},
                {"A=4; f ()\n{\n unset A\n}\nx $A", "f x $A"},
                {"A=4; function f { A=1; x; }; x $A", "x x $A"},
                {"A=4; function f()\n{ A=4; B=1; }\nfunction g\n{\n x $B; }; x $A", "x 1 x 4"},
                {"A=4; { A=1; }; x $A", "x 1"}});
}

TEST(Shell, CommentsInConditions)
{
  expect_words({{"A=1\nif [ \"$A\" = \"1\" ]  # don't forget\nthen x; else y; fi; z", "x z"},
                {"if [ $A ] # then\nthen x; else y; fi; z", "y z"},
                {"if [ $# -eq 0 ]; then x; fi", "x"}});
}

/* An exit that is a command of the script itself is its end; one of a branch, of a function or of another shell is not.
 */
TEST(Shell, Exit)
{
  expect_words({{"x\nexit 0 # y\n--z\n", "x"},
                {"f || exit 1; x", "f x"},
                {"[ -z $A ] && exit; (exit); { exit; }; f() { exit 1; }; f | exit; x", "f f x"},
                {"bash <<EOF\nx\nexit\nEOF\ny", "bash x EOF y"},
                {"if [ $# -eq 0 ]; then exit; fi; bash -c 'x; exit'; y", "bash -c x; exit y"}});
}

/* What has no end is looked for so often only: else this takes minutes. */
TEST(Shell, QuotesWithoutAnEnd)
{
  std::string script;
  for (int i = 0; i < 100000; ++i) script += "A=\"$(\n";
  EXPECT_NE(words_of(script), "end");
}

/* What an array has between its members is no branch of a case around it. */
TEST(Shell, ArraysInBranches)
{
  expect_words({{"case $A in\n*) B=(\n;;\n C=\"x y\"\n", "x y"}, {"case $A in *) B=(a ;; b); z;; esac; y", "a b z y"}});
}

TEST(Shell, TextsThatAreNoCommands)
{
  expect_words({{"echo \"use --x\"; y", "y"},
                {": <<EOF\n--x\nEOF\ny", ": y"},
                {"cat > f <<-'END'\n\t--x\n\tEND\ny", "y"},
                {"sbatch <<EOF\n#SBATCH --nodes=2\nx\nEOF\ny", "sbatch #SBATCH --nodes=2 x EOF y"},
                {"(( x << 2 ))\ny", "y"},
                {"cat >f<<EOF\n--x\nEOF\ny", "y"},
                {"x<<<\"y\" z", "x<<<y z"},
                {"# --x\ny # --z", "y"},
                {"mkdir -p a || { x; }; y", "y"},
                {"x 2>&1 | tee --z; y", "x 2> 1 y"}});
}
