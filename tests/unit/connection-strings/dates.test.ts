import assert from "node:assert/strict";
import { parseDate } from "../../../connection-strings/src/dates";

describe("parseDate (service document 2.5)", () => {
  const { TZ } = process.env;
  afterEach(() => {
    if (TZ === undefined) delete process.env["TZ"];
    else process.env["TZ"] = TZ;
  });

  for (const zone of ["UTC", "America/Los_Angeles", "Pacific/Kiritimati"]) {
    it(`reads a date without a time zone as UTC on a machine in ${zone}`, () => {
      process.env["TZ"] = zone;
      const midnight = Date.UTC(2020, 10, 3);
      assert.equal(parseDate("2020-11-03"), midnight);
      assert.equal(parseDate("2020-11-03T00:00"), midnight);
      assert.equal(parseDate("2020-11-03T00:00:00"), midnight);
      assert.equal(parseDate("2020-11-03 00:00:00"), midnight);
      assert.equal(parseDate("2020-11-02T23:59:59.999"), midnight - 1);
      assert.equal(parseDate("2020-11-02T23:59:59.5"), midnight - 500);
      assert.equal(parseDate("2020-11-02T23:59:59,5"), midnight - 500);
    });
  }

  it("reads every form of time zone", () => {
    const utc = Date.UTC(2020, 10, 2, 22, 30);
    for (const text of [
      "2020-11-02T22:30:00Z",
      "2020-11-02t22:30z",
      "2020-11-03T00:30:00+02:00",
      "2020-11-03T00:30:00+0200",
      "2020-11-03T00:30+02",
      "2020-11-02T17:00:00.000-05:30",
    ]) {
      assert.equal(parseDate(text), utc, text);
    }
  });

  it("reads 29 February of leap years", () => {
    assert.equal(parseDate("2020-02-29"), Date.UTC(2020, 1, 29));
    assert.equal(parseDate("2000-02-29"), Date.UTC(2000, 1, 29));
  });

  for (const text of [
    ...["2019-02-29", "1900-02-29", "2020-02-30", "2020-04-31", "2020-11-00", "2020-11-32"],
    ...["2020-00-01", "2020-13-01", "2020-1-1", "20201103", "2020-11", "2020-307", "2020-W45-2"],
    ...["2020-11-03T25:00:00Z", "2020-11-03T24:00:00Z", "2020-11-03T12:60:00Z"],
    ...["2020-11-03T12:00:60Z", "2020-11-03T12", "2020-11-03T12:00:00.Z", "2020-11-03Z"],
    ...["2020-11-03T12:00:00+24:00", "2020-11-03T12:00:00+02:60", "2020-11-03T12:00:00 UTC"],
    ...["2020-11-03T", " 2020-11-03", "2020-11-03 ", "2020-11-03\n", "3 November 2020", "now", ""],
  ]) {
    it(`returns undefined for ${JSON.stringify(text)}`, () => {
      assert.equal(parseDate(text), undefined);
    });
  }
});
