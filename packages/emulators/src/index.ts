export {
  type ChatModelEmulator,
  type ChatModelFault,
  type ChatModelOptions,
  type ChatModelRequest,
  startChatModelEmulator,
} from './chat-model/emulator.ts'
export { demoReply } from './chat-model/demo-replies.ts'
export { type BotOptions, DEFAULT_BOT } from './telegram/bots.ts'
export type { EmulatorClock } from './kit/clock.ts'
export { connectTelegramControl } from './telegram/control/over-http.ts'
export type { BotInfo, Conversation, FileContent, ShownMessage, TelegramControl } from './telegram/control/control.ts'
export type { GroupSpec, PersonSpec } from './telegram/control/people.ts'
export type { FileSpec, SayResult, SayOptions } from './telegram/control/say.ts'
export { startTelegramEmulator, type TelegramEmulator, type TelegramEmulatorOptions } from './telegram/emulator.ts'
export type { ActiveFault, FaultKind, FaultSpec } from './telegram/faults.ts'
export { type RateLimits, REAL_RATE_LIMITS } from './telegram/rate-limits.ts'
export type { UpdateRecord } from './telegram/updates.ts'
export type { WeixinFault } from './weixin/faults.ts'
export { startWeixinEmulator, type WeixinEmulator, type WeixinEmulatorOptions } from './weixin/emulator.ts'
export type { WecomFault } from './wecom/faults.ts'
export { startWecomEmulator, type WecomEmulator, type WecomEmulatorOptions } from './wecom/emulator.ts'
export type { FeishuFault } from './feishu/faults.ts'
export { type FeishuEmulator, type FeishuEmulatorOptions, startFeishuEmulator } from './feishu/emulator.ts'
export type { DingtalkFault } from './dingtalk/faults.ts'
export { type DingtalkEmulator, type DingtalkEmulatorOptions, startDingtalkEmulator } from './dingtalk/emulator.ts'
export { type DiscordEmulator, type DiscordEmulatorOptions, startDiscordEmulator } from './discord/emulator.ts'
export type { DiscordFault } from './discord/faults.ts'
export { type SmtpEmulator, type SmtpFault, startSmtpEmulator } from './smtp/emulator.ts'
export type { ReceivedMail } from './smtp/emulator.ts'
export { connectControl } from './kit/control.ts'
export type { PlatformControl } from './kit/control.ts'
export {
  EMULATED_PLATFORMS,
  type EmulatedPlatform,
  type RunningEmulator,
  startEmulator,
  startEmulators,
} from './family.ts'
