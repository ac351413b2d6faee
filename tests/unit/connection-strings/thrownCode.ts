/** Returns the error code that a call throws. */
import assert from "node:assert/strict";
import {
  type ConnectionStringErrorCode,
  ConnectionStringError,
} from "../../../connection-strings/src";

/** Runs a call that must throw a ConnectionStringError, and returns its code. */
export function thrownCode(call: () => unknown): ConnectionStringErrorCode {
  try {
    call();
  } catch (error) {
    assert.ok(error instanceof ConnectionStringError);
    return error.code;
  }
  assert.fail("the call does not throw");
}
