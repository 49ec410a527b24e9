import type { ChannelPlatform } from '../bound-platform.ts'
import type { StoredChannel } from '../config/credential-store.ts'
import { ChannelError } from '../errors.ts'
import type { Diagnosis, PlatformIo } from '../platform.ts'
import { type ChannelReport, receives } from '../supervisor/report.ts'

export interface DiagnoseOptions {
  readonly platform: ChannelPlatform
  readonly io: PlatformIo
  /** What the running channel says of itself; `null`: it does not run. */
  readonly report: ChannelReport | null
  readonly read: () => Promise<StoredChannel | undefined>
  readonly signal: AbortSignal
}

/** The checks that every platform has, then its own. A check that cannot be made is a failing check. */
export async function diagnoseChannel(options: DiagnoseOptions): Promise<readonly Diagnosis[]> {
  const { platform, io, signal } = options
  const title = 'Credentials file can be read'
  let channel: StoredChannel | undefined
  try {
    channel = await options.read()
  } catch (error) {
    if (!(error instanceof ChannelError)) throw error
    const remedy = 'Mend the file at the place named here, or move it away and set the channel up again.'
    return [{ id: 'config_readable', title, status: 'fail', detail: error.message, remedy }]
  }
  const readable: Diagnosis = { id: 'config_readable', title, status: 'pass', detail: 'It can.' }
  if (!channel) {
    const detail = `Nothing is stored for ${platform.label}.`
    return [
      readable,
      { id: 'credentials_present', title: 'Credentials are stored', status: 'fail', detail, remedy: SET_UP(platform) },
    ]
  }
  const keys = requiredKeys(platform, channel)
  if (keys.status === 'fail') return [readable, keys]
  const own = await platform.read(channel.credentials).diagnose(io, signal)
  return [readable, keys, running(platform, channel, options.report), ...own]
}

const SET_UP = (platform: ChannelPlatform): string => `Run: npx gatepost setup ${platform.id}`

function requiredKeys(platform: ChannelPlatform, channel: StoredChannel): Diagnosis {
  const base = { id: 'credentials_present', title: 'Required credentials are not empty' }
  try {
    platform.read(channel.credentials)
    return { ...base, status: 'pass', detail: platform.secrets.join(', ') }
  } catch {
    // the reason would quote the value, which may be a secret
    const detail = `One of ${platform.fields.join(', ')} is missing or does not have the right form.`
    return { ...base, status: 'fail', detail, remedy: SET_UP(platform) }
  }
}

function running(platform: ChannelPlatform, channel: StoredChannel, report: ChannelReport | null): Diagnosis {
  const base = { id: 'channel_running', title: 'Channel is running' }
  if (!channel.enabled) {
    return { ...base, status: 'fail', detail: 'It is disabled.', remedy: `Run: npx gatepost enable ${platform.id}` }
  }
  if (report && receives(report.state)) return { ...base, status: 'pass', detail: report.message ?? 'It receives.' }
  const detail = report?.message ?? `It is ${report?.state ?? 'not started'}.`
  const rejected = report?.state === 'rejected'
  const remedy = rejected ? SET_UP(platform) : 'Wait for the next attempt, and look at the other checks and at the log.'
  return { ...base, status: 'fail', detail, remedy }
}
