import type { PlatformArgs } from '../command.ts'

/** Arguments of `gatepost setup`. */
export interface SetupArgs extends PlatformArgs {
  readonly id: string | undefined
  readonly tokenFile: string | undefined
  readonly tokenStdin: boolean
  readonly baseUrl: string | undefined
  readonly kind: string | undefined
  readonly background: boolean
  readonly authorizeCli: boolean
  readonly fetchQr: boolean
  readonly qrcodeId: string | undefined
  readonly verifyCode: string | undefined
  readonly portalUrl: boolean
  readonly validate: string | undefined
  readonly inviteUrl: string | undefined
  readonly watchGuild: boolean
  readonly printQr: boolean
  readonly poll: string | undefined
}

/** Defaults of the options for programs. */
export const NO_MODE = {
  id: undefined,
  tokenFile: undefined,
  tokenStdin: false,
  baseUrl: undefined,
  kind: undefined,
  background: false,
  authorizeCli: false,
  fetchQr: false,
  qrcodeId: undefined,
  verifyCode: undefined,
  portalUrl: false,
  validate: undefined,
  inviteUrl: undefined,
  watchGuild: false,
  printQr: false,
  poll: undefined,
} as const satisfies Omit<SetupArgs, keyof PlatformArgs>
