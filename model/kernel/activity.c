#include "model/kernel/activity.h"

static const struct {
  const char *name;
  double colour[3];
} categories[] = {
#define SS_CATEGORY_ROW(id, name, red, green, blue) {name, {red, green, blue}},
    SS_CATEGORY_LIST(SS_CATEGORY_ROW)
#undef SS_CATEGORY_ROW
};

static const struct {
  const char *name;
  ss_category category;
} activities[] = {
#define SS_ACTIVITY_ROW(id, name, category) {name, category},
    SS_ACTIVITY_LIST(SS_ACTIVITY_ROW)
#undef SS_ACTIVITY_ROW
};

const char *ss_activity_name(ss_activity activity)
{
  return activities[activity].name;
}

ss_category ss_activity_category(ss_activity activity)
{
  return activities[activity].category;
}

const char *ss_category_name(ss_category category)
{
  return categories[category].name;
}

const double *ss_category_colour(ss_category category)
{
  return categories[category].colour;
}
