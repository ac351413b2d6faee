import { packProvider } from "./packed";
import { measureStart } from "./providerProcess";
async function main() {
  packProvider();
  for (let i = 0; i < 3; i++) console.log(JSON.stringify(await measureStart(15)));
}
void main();
