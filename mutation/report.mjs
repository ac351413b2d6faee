// @ts-check
/** Formats the results of mutation testing. */

/**
 * @typedef {import("./mutants.mjs").Result} Result
 * @typedef {import("./mutants.mjs").Survivor} Survivor
 *
 * @typedef {object} Explanation why no test can notice some mutants, or need not
 * @property {string} file
 * @property {string} from as in {@link Survivor}
 * @property {string[]} to
 * @property {string} reason
 */

/**
 * @param {Survivor[]} survivors
 * @param {Explanation[]} explanations
 * @returns the survivors without an explanation, and the explained mutants that did not survive
 */
export function explain(survivors, explanations) {
  return {
    unexplained: survivors.filter((survivor) => reasonOf(survivor, explanations) === undefined),
    unused: explanations.flatMap(({ file, from, to }) =>
      to
        .filter((text) => !survivors.some((one) => isSame(one, { file, from, to: text })))
        .map((text) => ({ file, to: text })),
    ),
  };
}

/**
 * @param {Survivor} survivor
 * @param {Explanation[]} explanations
 */
function reasonOf(survivor, explanations) {
  return explanations.find(({ file, from, to }) =>
    to.some((text) => isSame(survivor, { file, from, to: text })),
  )?.reason;
}

/**
 * @param {Omit<Survivor, "line">} one
 * @param {Omit<Survivor, "line">} other
 */
function isSame(one, other) {
  return one.file === other.file && one.from === other.from && one.to === other.to;
}

/** @param {Result} result */
function mutantsOf({ killed, timeouts, survivors }) {
  return killed + timeouts + survivors.length;
}

/**
 * Returns the share of mutants that a test notices, in percent, rounded down to one decimal.
 * @param {Result} result
 */
export function scoreOf(result) {
  return Math.floor(((result.killed + result.timeouts) / mutantsOf(result)) * 1000) / 10;
}

/**
 * @param {string} name
 * @param {Result} result
 */
export function summaryOf(name, result) {
  return `${name}: ${scoreOf(result).toFixed(1)} % of ${mutantsOf(result)} mutants noticed, ${result.survivors.length} survived`;
}

/**
 * Returns the section of docs/reliability.md.
 * @param {{ name: string, result: Result }[]} subjects
 * @param {Explanation[]} explanations
 */
export function section(subjects, explanations) {
  const rows = subjects.map(
    ({ name, result }) =>
      `| ${name} | ${mutantsOf(result)} | ${result.killed} | ${result.timeouts} | ${result.survivors.length} | ${scoreOf(result).toFixed(1)} % |`,
  );
  return [
    "| subject | mutants | killed | timeouts | survived | score |",
    "|---|--:|--:|--:|--:|--:|",
    ...rows,
    "",
    "### Survivors",
    ...subjects.flatMap(({ name, result }) => survivorsOf(name, result, explanations)),
  ].join("\n");
}

/**
 * @param {string} name
 * @param {Result} result
 * @param {Explanation[]} explanations
 */
function survivorsOf(name, { survivors }, explanations) {
  if (survivors.length === 0) return [];
  /** @type {Map<string, Survivor[]>} */
  const reasons = new Map();
  for (const survivor of survivors) {
    const reason = reasonOf(survivor, explanations) ?? "Not explained yet.";
    reasons.set(reason, [...(reasons.get(reason) ?? []), survivor]);
  }
  return [
    "",
    `**${name}**`,
    "",
    ...[...reasons].flatMap(([reason, mutants]) => [
      `- ${reason}`,
      ...mutants.map(
        ({ file, line, from, to }) => `  - ${file}:${line} ${code(from)} → ${code(to)}`,
      ),
    ]),
  ];
}

/**
 * Formats code as Markdown, also if it contains backticks.
 * @param {string} text
 */
function code(text) {
  const shortened = text.length > 160 ? `${text.slice(0, 159)}…` : text;
  return shortened.includes("`") ? `\`\` ${shortened} \`\`` : `\`${shortened}\``;
}
