#include "src/report/junit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/report/xml.h"

namespace heddle {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Xml, WhatXmlCannotHoldIsReplaced) {
  EXPECT_EQ(xml_text("a<b>&\"c\""), "a&lt;b&gt;&amp;\"c\"");
  EXPECT_EQ(xml_text("]]>"), "]]&gt;");
  EXPECT_EQ(xml_text(std::string_view("x\0y\x1b[31m", 8)), "x\xef\xbf\xbdy\xef\xbf\xbd[31m");
  EXPECT_EQ(xml_text("\xff"), "\xef\xbf\xbd");
  EXPECT_EQ(xml_text("gr\xc3\xbc\xc3\x9f"), "gr\xc3\xbc\xc3\x9f");
  EXPECT_EQ(xml_text("\xed\xa0\x80"), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");  // a surrogate
  EXPECT_EQ(xml_text("\xc0\xaf"), "\xef\xbf\xbd\xef\xbf\xbd");                  // overlong
  EXPECT_EQ(xml_text("\xef\xbf\xbe"), "\xef\xbf\xbd");                          // U+FFFE
  EXPECT_EQ(xml_text("\xf0\x9f\x98\x80\xf0\x9f"), "\xf0\x9f\x98\x80\xef\xbf\xbd\xef\xbf\xbd");
}

TEST(Xml, AnAttributeKeepsItsLineBreaks) { EXPECT_EQ(xml_attribute("a\n\"b\"\t\r"), "a&#10;&quot;b&quot;&#9;&#13;"); }

TEST(Xml, AllBytesGiveTextWithoutMarkup) {
  std::string all;
  for (int i = 0; i < 65536; i++) all += static_cast<char>(i >> 8), all += static_cast<char>(i);
  for (const std::string& text : {xml_text(all), xml_attribute(all)}) {
    EXPECT_EQ(text.find_first_of("<>"), text.npos);
    for (const char c : text) EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t');
  }
}

ReportedCase failing() {
  ReportedCase c;
  c.suite = "Queue", c.name = "Takes/0", c.verdict = Verdict::kFailed, c.runs = 14, c.seconds = 0.25;
  FailureRecord f;
  f.kind = HEDDLE_FAIL_ASSERTION, f.signature = "assertion|take", f.message = "assertion `n > 0`";
  f.thread = "0.3", f.function = "take", f.file = "/src/queue.cc", f.line = 14;
  Frame own, system;
  own.function = "take", own.file = "/src/queue.cc", own.line = 14;
  system.function = "raise", system.system = true;
  f.threads.push_back({"0.3", {.activity = Activity::kRunning}, {system, own}});
  c.failures.push_back({f, "q.heddle", "heddle replay q.heddle", 14});
  c.output = "a ]]> in text\x01";
  return c;
}

TEST(Junit, AFailureHasSignatureReplayLineAndStacks) {
  Report report;
  report.cases = {failing()};
  const std::string xml = junit_xml(report);
  EXPECT_THAT(xml, HasSubstr("<testcase name=\"Takes/0\" classname=\"Queue\" time=\"0.250\">"));
  EXPECT_THAT(xml, HasSubstr("<failure type=\"assertion\" message=\"assertion `n &gt; 0`\">"));
  EXPECT_THAT(xml, HasSubstr("signature: assertion|take\n"));
  EXPECT_THAT(xml, HasSubstr("replay it: heddle replay q.heddle\n"));
  EXPECT_THAT(xml, HasSubstr("thread 0.3: running\n  take at /src/queue.cc:14\n"));
  EXPECT_THAT(xml, Not(HasSubstr("raise")));
  EXPECT_THAT(xml, HasSubstr("<system-out>a ]]&gt; in text\xef\xbf\xbd</system-out>"));
}

TEST(Junit, CountsAreThoseOfTheCases) {
  Report report;
  ReportedCase passed, skipped, unclear, untested;
  passed.suite = skipped.suite = "Queue", unclear.suite = untested.suite = "Other";
  skipped.verdict = Verdict::kSkipped, skipped.why = "disabled";
  unclear = failing(), unclear.suite = "Other", unclear.verdict = Verdict::kInconclusive, unclear.why = "failed once";
  untested.verdict = Verdict::kNotTested, untested.why = "x: no such file";
  report.cases = {passed, failing(), unclear, skipped, untested};
  const std::string xml = junit_xml(report);
  EXPECT_THAT(xml, HasSubstr("tests=\"5\" failures=\"1\" errors=\"2\" skipped=\"1\" time=\"0.500\">"));
  EXPECT_THAT(xml, HasSubstr("<testsuite name=\"Queue\" tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"1\""));
  EXPECT_THAT(xml, HasSubstr("<error type=\"not tested\" message=\"x: no such file\"/>"));
  EXPECT_THAT(xml, HasSubstr("<error type=\"inconclusive\" message=\"failed once: assertion"));
  EXPECT_THAT(xml, HasSubstr("<skipped message=\"disabled\"/>"));
}

TEST(Junit, ALongOutputKeepsItsEnd) {
  Report report;
  report.cases = {failing()};
  report.cases[0].output = std::string(1 << 20, 'x') + "the end";
  const std::string xml = junit_xml(report);
  EXPECT_LT(xml.size(), 70'000u);
  EXPECT_THAT(xml, HasSubstr("the end</system-out>"));
}

}  // namespace
}  // namespace heddle
