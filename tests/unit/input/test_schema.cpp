/* The schemas say what the tables of attributes and properties say. */
#include <libxml/parser.h>
#include <libxml/xpath.h>
#include <libxml/xpathInternals.h>

#include <map>

extern "C" {
#include "sim/io/xml/schema.h"
}

#include "tests/support/inputs.hpp"

using namespace stepsim;

namespace
{

using Strings = std::vector<std::string>;

/* The values of the attribute nodes that an XPath expression selects in a schema. */
Strings select(const char *xsd, const std::string &expression)
{
  xmlDoc *document = xmlReadMemory(xsd, static_cast<int>(std::string(xsd).size()), nullptr, nullptr, 0);
  xmlXPathContext *context = xmlXPathNewContext(document);
  xmlXPathRegisterNs(context, BAD_CAST "xs", BAD_CAST "http://www.w3.org/2001/XMLSchema");
  xmlXPathObject *found = xmlXPathEvalExpression(BAD_CAST expression.c_str(), context);
  Strings values;
  for (int i = 0; found->nodesetval != nullptr && i < found->nodesetval->nodeNr; i++) {
    xmlChar *text = xmlNodeGetContent(found->nodesetval->nodeTab[i]);
    values.emplace_back(reinterpret_cast<char *>(text));
    xmlFree(text);
  }
  xmlXPathFreeObject(found);
  xmlXPathFreeContext(context);
  xmlFreeDoc(document);
  return values;
}

} /* namespace */

TEST(Schema, OfWorkloadsHasTheElementsAndAttributesOfTheTable)
{
  Strings elements;
  std::map<std::string, Strings> names;
  for (int i = 0; i < SS_ATTRIBUTE_TOTAL; i++) {
    const ss_attribute &row = ss_workload_attributes()[i];
    if (names.count(row.element) == 0) elements.push_back(row.element);
    names[row.element].push_back(row.name);
  }
  EXPECT_EQ(select(ss_workload_xsd, "//xs:all/xs:element/@name"), elements);
  EXPECT_EQ(select(ss_workload_xsd, "/xs:schema/xs:complexType/@name"), elements);
  for (const auto &[element, expected] : names)
    EXPECT_EQ(select(ss_workload_xsd, "//xs:complexType[@name='" + element + "']/xs:attribute/@name"), expected);
}

TEST(Schema, OfWorkloadsHasTheTypesAndRangesOfTheTable)
{
  for (int i = 0; i < SS_ATTRIBUTE_TOTAL; i++) {
    const ss_attribute &row = ss_workload_attributes()[i];
    SCOPED_TRACE(std::string(row.element) + "." + row.name);
    const std::string attribute =
        "//xs:complexType[@name='" + std::string(row.element) + "']/xs:attribute[@name='" + row.name + "']";
    const Strings type = select(ss_workload_xsd, attribute + "/@type"); /* of its own, or one that it shares */
    const std::string restriction = type.empty() ? attribute + "//xs:restriction"
                                                 : "/xs:schema/xs:simpleType[@name='" + type[0] + "']/xs:restriction";
    if (row.type == SS_ATTRIBUTE_TEXT) {
      EXPECT_EQ(type, Strings{"text"});
    } else if (row.type == SS_ATTRIBUTE_CHOICE || row.type == SS_ATTRIBUTE_SET) {
      EXPECT_EQ(select(ss_workload_xsd, attribute + "//xs:list").size(), row.type == SS_ATTRIBUTE_SET ? 1u : 0u);
      Strings words;
      for (const char *const *word = row.words; *word != nullptr; word++) words.push_back(*word);
      EXPECT_EQ(select(ss_workload_xsd, restriction + "/@base"), Strings{"xs:string"});
      EXPECT_EQ(select(ss_workload_xsd, restriction + "/xs:enumeration/@value"), words);
    } else {
      const bool whole = row.type == SS_ATTRIBUTE_COUNT;
      EXPECT_EQ(select(ss_workload_xsd, restriction + "/@base"), Strings{whole ? "xs:integer" : "xs:double"});
      const Strings least = select(ss_workload_xsd, restriction + "/xs:minInclusive/@value");
      const Strings most = select(ss_workload_xsd, restriction + "/xs:maxInclusive/@value");
      ASSERT_EQ(least.size(), 1u);
      ASSERT_EQ(most.size(), 1u);
      EXPECT_EQ(std::stod(least[0]), row.minimum);
      EXPECT_EQ(std::stod(most[0]), row.maximum);
    }
  }
}

TEST(Schema, OfPlatformsHasTheTopologiesAndCablesOfTheLists)
{
#define TOPOLOGY_ROW(id, word, name) word,
  const Strings topologies = {SS_TOPOLOGY_LIST(TOPOLOGY_ROW)};
#undef TOPOLOGY_ROW
#define SHARING_ROW(id, word) word,
  const Strings policies = {SS_SHARING_LIST(SHARING_ROW)};
#undef SHARING_ROW
  EXPECT_EQ(select(ss_platform_xsd, "//xs:attribute[@name='topology']//xs:enumeration/@value"), topologies);
  EXPECT_EQ(select(ss_platform_xsd, "//xs:attribute[@name='sharing_policy']//xs:enumeration/@value"), policies);
}

TEST(Schema, OfPlatformsHasThePropertiesOfTheTable)
{
  Strings expected;
  for (int i = 0; i < SS_PROPERTY_TOTAL; i++) expected.push_back(ss_machine_properties()[i].name);
  EXPECT_EQ(select(ss_platform_xsd, "//xs:complexType[@name='prop']/xs:attribute[@name='id']//xs:enumeration/@value"),
            expected);
}
