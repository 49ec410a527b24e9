import type { Answer } from '../../api/client.ts'
import { defineTexts, type Language } from '../../language/language.ts'
import type { Tone } from '../../parts/badge.tsx'
import type { Platform } from '../../parts/platform.tsx'

/** A channel with all its details. */
export type Channel = Answer<'getChannel'>

/** A channel's status as shown by the console. `unknown`: a state from a newer service. */
type ChannelStatus =
  | 'absent'
  | 'off'
  | 'running'
  | 'degraded'
  | 'connecting'
  | 'backing_off'
  | 'standby'
  | 'rejected'
  | 'stopped'
  | 'unknown'

const STATES: readonly string[] = [
  'running',
  'degraded',
  'connecting',
  'backing_off',
  'standby',
  'rejected',
  'stopped',
] satisfies readonly Channel['state'][]

/** Returns a channel's status. Missing credentials and the switch take precedence over the connection's state. */
export function channelStatus({
  has_config,
  enabled,
  state,
}: Pick<Channel, 'has_config' | 'enabled' | 'state'>): ChannelStatus {
  if (!has_config) return 'absent'
  if (!enabled) return 'off'
  return STATES.includes(state) ? state : 'unknown'
}

/** The tone of each status. */
export const STATUS_TONES: Readonly<Record<ChannelStatus, Tone>> = {
  absent: 'neutral',
  off: 'neutral',
  running: 'good',
  degraded: 'warn',
  connecting: 'accent',
  backing_off: 'warn',
  standby: 'neutral',
  rejected: 'bad',
  stopped: 'bad',
  unknown: 'neutral',
}

/** What resolves a status. `restart` disables and enables the channel. */
type StatusRemedy = 'set_up' | 'restart' | 'doctor'

/** Returns what resolves a channel's status; `null` if nothing needs to be done. */
export function findRemedy(channel: Pick<Channel, 'has_config' | 'enabled' | 'state' | 'reason'>): StatusRemedy | null {
  switch (channelStatus(channel)) {
    case 'rejected':
      return 'set_up'
    case 'stopped':
      return channel.reason === 'credentials_invalid' || channel.reason === 'no_credentials' ? 'set_up' : 'restart'
    case 'degraded':
      return 'doctor'
    case 'backing_off':
      return channel.reason === 'credentials_invalid' ? 'set_up' : channel.reason === 'network' ? null : 'doctor'
    case 'absent':
    case 'off':
    case 'running':
    case 'connecting':
    case 'standby':
    case 'unknown':
      return null
  }
}

/** Texts about the status of a channel. */
export const stateTexts = defineTexts({
  en: {
    statuses: {
      absent: 'Not connected',
      off: 'Disabled',
      running: 'Running',
      degraded: 'Needs attention',
      connecting: 'Connecting',
      backing_off: 'Retrying',
      standby: 'Standby',
      rejected: 'Credentials rejected',
      stopped: 'Stopped',
      unknown: 'Unknown',
    },
    nextTry: 'Next retry in',
    platformSays: 'Details',
    cures: { set_up: 'Set up again', restart: 'Restart', doctor: 'Open Doctor' },
  },
  zh: {
    statuses: {
      absent: '未连接',
      off: '已停用',
      running: '运行中',
      degraded: '待处理',
      connecting: '连接中',
      backing_off: '重试中',
      standby: '备用',
      rejected: '凭证失效',
      stopped: '已停止',
      unknown: '未知状态',
    },
    nextTry: '下次重试：',
    platformSays: '详细信息',
    cures: { set_up: '重新设置', restart: '重启', doctor: '运行诊断' },
  },
})

interface StatusMessage {
  /** What happened. */
  readonly what: string
  /** What to do, if anything. */
  readonly next?: string
}

type MessageForName = (name: string) => StatusMessage
type InEachLanguage = Readonly<Record<Language, MessageForName>>

/** Messages by the code of the reason. */
const REASONS: Readonly<Record<string, InEachLanguage | undefined>> = {
  credentials_rejected: {
    en: (name) => ({
      what: `${name} rejected the credentials.`,
      next: 'Set up the channel again with new credentials. Messages and settings are kept.',
    }),
    zh: (name) => ({ what: `${name}拒绝了当前凭证。`, next: '请使用新凭证重新设置，消息和设置都会保留。' }),
  },
  credentials_invalid: {
    en: () => ({ what: 'The stored credentials are malformed.', next: 'Set up the channel again.' }),
    zh: () => ({ what: '已保存的凭证格式不正确。', next: '请重新设置此渠道。' }),
  },
  no_credentials: {
    en: () => ({ what: 'No credentials are stored.', next: 'Set up the channel.' }),
    zh: () => ({ what: '尚未保存凭证。', next: '请设置此渠道。' }),
  },
  configuration: {
    en: (name) => ({
      what: `The bot works, but a setting on ${name} isn't enabled.`,
      next: 'Open Doctor to see which one and where to change it.',
    }),
    zh: (name) => ({
      what: `机器人可以使用，但${name}上有一项设置未开启。`,
      next: '运行诊断可查看是哪一项、在哪里修改。',
    }),
  },
  'discord.configuration': {
    en: () => ({
      what: 'MESSAGE CONTENT INTENT is disabled, so the bot can only read mentions in servers.',
      next: 'Enable it under "Bot" in the developer portal. Gatepost detects the change within ten minutes.',
    }),
    zh: () => ({
      what: 'MESSAGE CONTENT INTENT 未开启，机器人在服务器中只能读取提及它的消息。',
      next: '请在开发者后台的“Bot”页面开启，Gatepost 会在十分钟内自动识别。',
    }),
  },
  taken_over: {
    en: (name) => ({
      what: `Another program is connected to ${name} with this bot.`,
      next: 'Stop the other program, then restart this channel.',
    }),
    zh: (name) => ({ what: `另一个程序正在使用此机器人连接${name}。`, next: '请先停止该程序，再重启此渠道。' }),
  },
  'feishu.taken_over': {
    en: () => ({
      what: 'Another program is connected with this app and receives some of the messages.',
      next: 'Stop it, or create a separate app for it.',
    }),
    zh: () => ({
      what: '另一个程序也在使用此应用连接，并会收到部分消息。',
      next: '请停止该程序，或为其单独创建应用。',
    }),
  },
  rate_limited: {
    en: (name) => ({ what: `${name} is rate limiting the bot.`, next: 'Gatepost retries automatically.' }),
    zh: (name) => ({ what: `触发了${name}的频率限制。`, next: 'Gatepost 会自动重试。' }),
  },
  network: {
    en: (name) => ({
      what: `Couldn't reach ${name}.`,
      next: "Gatepost keeps retrying. If this persists, check this machine's network.",
    }),
    zh: (name) => ({ what: `无法连接${name}。`, next: 'Gatepost 会持续重试；如长时间未恢复，请检查本机网络。' }),
  },
  reconnecting: {
    en: () => ({ what: 'The connection was lost. Reconnecting…' }),
    zh: () => ({ what: '连接已断开，正在重连…' }),
  },
  held_elsewhere: {
    en: () => ({
      what: 'Another Gatepost process runs this bot.',
      next: 'This process takes over when the other one stops.',
    }),
    zh: () => ({ what: '此机器人正由另一个 Gatepost 进程运行。', next: '该进程停止后，本进程会自动接管。' }),
  },
  bot_in_use: {
    en: () => ({
      what: 'Another account on this service uses this bot.',
      next: 'Use a different bot, or remove it from the other account.',
    }),
    zh: () => ({ what: '此服务上的另一个账号正在使用该机器人。', next: '请更换机器人，或在另一个账号中移除它。' }),
  },
  lease_lost: {
    en: () => ({ what: "Another process took over the connection, or the database didn't respond in time." }),
    zh: () => ({ what: '连接已被另一个进程接管，或数据库响应超时。' }),
  },
  database_unavailable: {
    en: () => ({ what: 'The database is unavailable.', next: "Gatepost continues when it's back." }),
    zh: () => ({ what: '数据库暂时不可用。', next: '恢复后 Gatepost 会自动继续。' }),
  },
  internal: {
    en: () => ({ what: 'The connection ended unexpectedly.', next: 'Gatepost is retrying. See the logs for details.' }),
    zh: () => ({ what: '连接意外中断。', next: 'Gatepost 正在重试，详情请查看日志。' }),
  },
}

const STATUSES: Readonly<Partial<Record<ChannelStatus, InEachLanguage>>> = {
  absent: {
    en: (name) => ({ what: `No ${name} bot is connected.` }),
    zh: (name) => ({ what: `尚未连接${name}机器人。` }),
  },
  off: {
    en: () => ({ what: "The bot doesn't reply while the channel is disabled.", next: 'The credentials are kept.' }),
    zh: () => ({ what: '停用期间机器人不会回复。', next: '凭证会保留。' }),
  },
  running: {
    en: (name) => ({ what: `Connected to ${name}.` }),
    zh: (name) => ({ what: `已连接${name}。` }),
  },
  connecting: {
    en: (name) => ({ what: `Connecting to ${name}…` }),
    zh: (name) => ({ what: `正在连接${name}…` }),
  },
}

/** Explains a channel's status in the page's language. Unknown codes keep the service's message. */
export function statusMessage(
  {
    platform,
    status,
    reason,
    message,
  }: {
    readonly platform: Platform
    readonly status: ChannelStatus
    readonly reason: string | null
    readonly message: string | null
  },
  name: string,
  language: Language,
): StatusMessage {
  const matters = status !== 'absent' && status !== 'off' && status !== 'running' && reason !== null
  const known = matters ? (REASONS[`${platform}.${reason}`] ?? REASONS[reason]) : STATUSES[status]
  return known?.[language](name) ?? { what: message ?? reason ?? stateTexts[language].statuses[status] }
}
