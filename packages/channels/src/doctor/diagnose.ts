import type { ChannelPlatform } from '../bound-platform.ts'
import type { StoredChannel } from '../config/credential-store.ts'
import { ChannelError } from '../errors.ts'
import type { Diagnosis } from '../platform.ts'
import type { PlatformIo } from '../platform-io.ts'
import { type OwnState, ownState } from './own-state.ts'
import { todaysLog } from './todays-log.ts'

export interface DiagnoseOptions {
  readonly platform: ChannelPlatform
  readonly io: PlatformIo
  readonly read: () => Promise<StoredChannel | undefined>
  /** What the service knows of the channel: asked for only when credentials are there. */
  readonly own: () => Promise<OwnState>
  /** What the key of every bot of this channel begins with: `<account>/<platform>/`. */
  readonly bots: string
  /** The lines of today; `null`: there is no log file. */
  readonly log: () => AsyncIterable<string> | null
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
  const [own, remote] = await Promise.all([options.own(), platform.read(channel.credentials).diagnose(io, signal)])
  const bot = options.bots + platform.read(channel.credentials).identity
  const log = await todaysLog(platform, bot, options.log(), own.details.running)
  return [readable, keys, ...ownState(own), ...remote, log]
}

const SET_UP = (platform: ChannelPlatform): string => `Run: npx gatepost setup ${platform.id}`

function requiredKeys(platform: ChannelPlatform, channel: StoredChannel): Diagnosis {
  const base = { id: 'credentials_present', title: 'Required credentials are not empty' }
  try {
    const given = Object.keys(platform.read(channel.credentials).stored)
    return { ...base, status: 'pass', detail: given.join(', ') }
  } catch {
    // the reason would quote the value, which may be a secret
    const detail = `One of ${platform.fields.join(', ')} is missing or does not have the right form.`
    return { ...base, status: 'fail', detail, remedy: SET_UP(platform) }
  }
}
