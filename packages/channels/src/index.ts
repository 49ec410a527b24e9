export { shownBlockSchema } from './api/history-shapes.ts'
export { channelRoutes } from './api/routes.ts'
export { type Route, route, type RouteAnswer, type RouteRequest, type Scope } from './api/route.ts'
export type { Assistant, AssistantPiece, AssistantTurn, TurnFile, TurnMessage } from './assistant/assistant.ts'
export { AssistantError } from './assistant/assistant.ts'
export { createAssistant } from './assistant/create-assistant.ts'
export {
  AssistantSettingsError,
  type AssistantSettings,
  type AssistantSettingsInput,
  DEFAULT_SYSTEM_PROMPT,
  resolveAssistantSettings,
} from './assistant/settings.ts'
export { parseChannelFile } from './config/channel-file.ts'
export type {
  ChannelDetails,
  ChannelEntry,
  ChannelMetrics,
  Channels,
  ChannelSetups,
  ChannelState,
  DoctorReport,
  KnownUser,
  Principal,
} from './channels.ts'
export { CHANNEL_ERRORS, ChannelError, type ChannelErrorCode, type ChannelRefusal } from './errors.ts'
export type { ChannelEvent } from './channels.ts'
export { channelMigrations } from './storage/migrations.ts'
export type { Diagnosis } from './platform.ts'
export type { Clock, Log, LogFields } from './platform-io.ts'
export { PLATFORM_IDS, type PlatformId, parsePlatformId } from './platform-names.ts'
export type { DeliveryRecord, MessageRecord, Page } from './storage/records.ts'
export type { ChannelTables } from './storage/schema.ts'
export { createRisingId } from './storage/rising-id.ts'
export { Secret } from './secret.ts'
export type { ChannelsOptions } from './service.ts'
export { createChannels } from './service.ts'
export { DISCORD_PORTAL_URL, discordInviteUrl } from './platforms/registry.ts'
export { SETUP_FAILURES, SetupFailure, type SetupField, type SetupKind } from './setup/guide.ts'
export { runSetup } from './setup/local.ts'
export type { SetupState, SetupView, SetupWay } from './setup/guide.ts'
