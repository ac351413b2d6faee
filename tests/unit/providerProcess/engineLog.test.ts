import assert from "node:assert/strict";
import {
  createEngineLog,
  engineAddress,
  modulesOfPulumi,
} from "../../../provider/src/providerProcess/engine";
import { useCleanup } from "../../cleanup";
import { startEngineServer } from "../../engineServer";
import { safe, unsafe } from "./unsafeText";

describe("the engine log", () => {
  const cleanup = useCleanup("test");
  const urn = "urn:pulumi:test::tested::clouddb:index:PrivateIpMode::orders";

  it("sends escaped messages to the engine, with progress as ephemeral", async () => {
    const engine = await startEngineServer(cleanup);
    const log = createEngineLog({
      engineAddress: () => engine.address,
      modules: modulesOfPulumi,
      resource: () => urn,
    });
    await log("warning", unsafe);
    await log("progress", unsafe);
    assert.deepEqual(engine.messages, [
      { message: safe, ephemeral: false, urn },
      { message: safe, ephemeral: true, urn },
    ]);
  });

  it("writes escaped messages to standard error if there is no engine", async () => {
    const written: unknown[] = [];
    const { error } = console;
    console.error = (...values: unknown[]) => void written.push(...values);
    try {
      await createEngineLog({ engineAddress, modules: modulesOfPulumi })("warning", unsafe);
    } finally {
      console.error = error;
    }
    assert.deepEqual(written, [`warning: ${safe}`]);
  });
});
