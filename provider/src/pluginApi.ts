/** What the plugin imports from this package. */
export { findClusters } from "./clusterConnectionStrings/findClusters";
export { findConnectionStrings } from "./clusterConnectionStrings/lookup";
export {
  type EngineModules,
  closeOnSignal,
  createEngineLog,
  engineAddress,
  engineEnd,
} from "./host/engine";
export { containsUnknown, isSecret, secret } from "./host/inputs";
export * from "./host/lifecycle";
export { type SchemasOf, readArguments } from "./validation/arguments";
export { isObject, kindOfValue, mustBe, withoutNulls } from "./validation/values";
export type { Log } from "./messages/errors";
export * from "./messages/errors";
export { suggestion } from "./messages/recommendations";
export { escapeText } from "./messages/text";
export { type HiddenInputs, isChangedOutside } from "./privateIpMode/args";
export { providerText } from "./providerText";
export type { Session } from "./service/session";
export { invalidSettings, readSettings } from "./settings/readSettings";
export {
  type SettingsSource,
  defaultSettings,
  isSettingKey,
  secretKeys,
  settingKeys,
} from "./settings/settings";
export { version } from "./version";
export { RuntimeHost, type RuntimeHostOptions } from "./runtimeHost";
