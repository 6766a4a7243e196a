// Holds the input schemas of a tool list against a strict reader: every keyword known, every one where its type stands.
// Reads {"tools": […]} from standard input, prints one line for each schema that it does not take.
import Ajv2020 from "ajv/dist/2020.js";

let text = "";
for await (const chunk of process.stdin) text += chunk;

for (const tool of JSON.parse(text).tools) {
  // A list of types is how the portable form writes several kinds; all else is as strict as it can be.
  const ajv = new Ajv2020({ strict: true, strictRequired: true, allowUnionTypes: true, validateFormats: false });
  try {
    ajv.compile(tool.inputSchema);
  } catch (error) {
    console.log(`${tool.name}: ${error.message}`);
  }
}
