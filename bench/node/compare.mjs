// Ajv and zod on the shapes that `toolgate-bench shapes` prints, read from stdin. Prints Markdown tables: nanoseconds, and
// the ratio to JSON.parse of the same text in this process.

import { readFileSync } from "node:fs";
import { Ajv } from "ajv";
import * as z from "zod";

const BATCHES = 21;

// The shapes once more, as a user of zod writes them.
const zodOf = {
  "5 scalars": () =>
    z.strictObject({
      path: z.string().min(1),
      line: z.int().min(1),
      ratio: z.number().optional(),
      dryRun: z.boolean().optional(),
      mode: z.enum(["read", "write", "append"]).optional(),
    }),
  "20 mixed fields": () => {
    const kinds = [
      () => z.string().max(200),
      () => z.int().min(0).nullable(),
      () => z.array(z.string()).max(10),
      () => z.enum(["low", "medium", "high"]),
      () => z.looseObject({ x: z.number(), y: z.number().optional() }),
    ];
    const field = (index) => (index < 8 ? kinds[index % 5]() : kinds[index % 5]().optional());
    const fields = Array.from({ length: 20 }, (_, index) => [`field_${String(index).padStart(2, "0")}`, field(index)]);
    return z.looseObject(Object.fromEntries(fields));
  },
  "12-variant union": () => {
    const variant = (index) =>
      z.strictObject({
        type: z.literal(`kind_${index}`),
        id: z.string().min(1),
        title: z.string().optional(),
        [`n_${index}`]: z.int().min(0),
        flags: z.array(z.string()).optional(),
      });
    return z.strictObject({ block: z.discriminatedUnion("type", Array.from({ length: 12 }, (_, index) => variant(index))) });
  },
};

function expect(holds, what) {
  if (!holds) {
    throw new Error(what);
  }
}

let sink = 0;

/** Median nanoseconds of one repetition, after as many unmeasured ones as V8 needs to settle. */
function nanoseconds(times, work) {
  const batch = () => {
    const start = process.hrtime.bigint();
    for (let index = 0; index < times; index += 1) {
      sink += work() ? 1 : 0;
    }
    return Number(process.hrtime.bigint() - start) / times;
  };
  for (let round = 0; round < 5; round += 1) {
    batch();
  }
  const samples = Array.from({ length: BATCHES }, batch).sort((left, right) => left - right);
  return samples[BATCHES >> 1];
}

function rowsOf({ name, schema, good, bad }) {
  const first = new Ajv({ strict: false }).compile(schema);
  const every = new Ajv({ strict: false, allErrors: true }).compile(schema);
  const parsed = JSON.parse(good);
  const wrong = JSON.parse(bad);
  expect(first(parsed) && !first(wrong), `Ajv and ${name}`);
  const work = [
    ["JSON.parse", () => JSON.parse(good)],
    ["Ajv: validate", () => first(parsed)],
    ["Ajv: parse + validate", () => first(JSON.parse(good))],
    ["Ajv: all errors of the bad call", () => every(wrong)],
  ];
  const make = zodOf[name];
  if (make) {
    const form = make();
    expect(form.safeParse(parsed).success && !form.safeParse(wrong).success, `zod and ${name}`);
    work.push(
      ["zod: safeParse", () => form.safeParse(parsed).success],
      ["zod: parse + safeParse", () => form.safeParse(JSON.parse(good)).success],
      ["zod: all errors of the bad call", () => form.safeParse(wrong).error.issues.length],
    );
  }
  const times = good.length > 10_000 ? 20 : 20_000;
  return work.map(([operation, run]) => [operation, nanoseconds(times, run)]);
}

const lines = [`Node ${process.version}; V8 compiles Ajv's functions and zod's objects while they warm up.`];
for (const shape of JSON.parse(readFileSync(0, "utf8"))) {
  const rows = rowsOf(shape);
  const parse = rows[0][1];
  lines.push("", `### ${shape.name}`, "", "| operation | ns | of JSON.parse |", "|---|---|---|");
  for (const [operation, time] of rows) {
    lines.push(`| ${operation} | ${time.toFixed(0)} | ${(time / parse).toFixed(2)} |`);
  }
}
expect(sink > 0, "nothing was run");
process.stdout.write(`${lines.join("\n")}\n`);
