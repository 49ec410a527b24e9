import { defineTexts } from '../../language/texts.ts'
import type { Platform } from '../../parts/platform.tsx'
import type { Language } from '../../language/language.ts'
import type { Standing } from './standing.ts'

/** Words for the state of a channel. */
export const stateTexts = defineTexts({
  en: {
    standings: {
      absent: 'Not connected',
      off: 'Switched off',
      running: 'Running',
      degraded: 'Running, needs you',
      connecting: 'Connecting',
      backing_off: 'Trying again',
      standby: 'On standby',
      rejected: 'Needs new credentials',
      stopped: 'Stopped',
      strange: 'Unknown state',
    },
    nextTry: 'Next try in',
    platformSays: 'What the service noted',
    cures: { set_up: 'Set it up again', restart: 'Start it again', doctor: 'Ask the doctor' },
  },
  zh: {
    standings: {
      absent: '未连接',
      off: '已停用',
      running: '运行中',
      degraded: '运行中，需要处理',
      connecting: '连接中',
      backing_off: '正在重试',
      standby: '待命',
      rejected: '需要新的凭据',
      stopped: '已停止',
      strange: '未知状态',
    },
    nextTry: '距下次重试',
    platformSays: '服务记录的原文',
    cures: { set_up: '重新设置', restart: '重新启动', doctor: '运行诊断' },
  },
})

interface Words {
  /** What is the matter. */
  readonly what: string
  /** What to do about it, or that nothing needs to be done. */
  readonly next?: string
}

type Of = (name: string) => Words
type InBoth = Readonly<Record<Language, Of>>

/** By the code of the reason. */
const REASONS: Readonly<Record<string, InBoth | undefined>> = {
  credentials_rejected: {
    en: (name) => ({
      what: `${name} does not accept these credentials any more.`,
      next: 'Set the channel up again with new ones. Messages and settings stay.',
    }),
    zh: (name) => ({ what: `${name}不再接受当前凭据。`, next: '请用新的凭据重新设置，消息和设置都会保留。' }),
  },
  credentials_invalid: {
    en: () => ({ what: 'The stored credentials do not have the right form.', next: 'Set the channel up again.' }),
    zh: () => ({ what: '已保存的凭据格式不正确。', next: '请重新设置此渠道。' }),
  },
  no_credentials: {
    en: () => ({ what: 'There are no credentials.', next: 'Set the channel up.' }),
    zh: () => ({ what: '尚无凭据。', next: '请先设置此渠道。' }),
  },
  configuration: {
    en: (name) => ({
      what: `The bot works, but something is not switched on at ${name}.`,
      next: 'The doctor says what, and where to change it.',
    }),
    zh: (name) => ({
      what: `机器人可以使用，但${name}上有一项设置没有开启。`,
      next: '运行诊断可查看具体是哪一项、在哪里修改。',
    }),
  },
  'discord.configuration': {
    en: () => ({
      what: 'MESSAGE CONTENT INTENT is off: in servers the bot reads only what mentions it.',
      next: 'Switch it on under “Bot” in the developer portal. Gatepost notices within ten minutes.',
    }),
    zh: () => ({
      what: 'MESSAGE CONTENT INTENT 未开启：在服务器中机器人只能看到提及它的消息。',
      next: '请在开发者后台的 “Bot” 页面开启，Gatepost 会在十分钟内自动识别。',
    }),
  },
  taken_over: {
    en: (name) => ({
      what: `Another program is connected to ${name} with this bot.`,
      next: 'Stop the other program, then start this channel again.',
    }),
    zh: (name) => ({ what: `另一个程序正在用这个机器人连接${name}。`, next: '请先停止那个程序，再重新启动此渠道。' }),
  },
  'feishu.taken_over': {
    en: () => ({
      what: 'Another program is connected as this app, and gets a share of the messages.',
      next: 'Stop it, or give it an app of its own.',
    }),
    zh: () => ({ what: '另一个程序也以此应用连接，并分走了部分消息。', next: '请停止它，或为它另建一个应用。' }),
  },
  rate_limited: {
    en: (name) => ({ what: `${name} asks us to wait.`, next: 'It goes on by itself.' }),
    zh: (name) => ({ what: `${name}要求稍候。`, next: '稍后会自动继续。' }),
  },
  network: {
    en: (name) => ({
      what: `${name} cannot be reached.`,
      next: 'Gatepost keeps trying. If it lasts, check this machine’s network.',
    }),
    zh: (name) => ({ what: `无法连接到${name}。`, next: 'Gatepost 会持续重试；如果一直不行，请检查本机网络。' }),
  },
  reconnecting: {
    en: () => ({ what: 'The connection was lost and is being made anew.' }),
    zh: () => ({ what: '连接已断开，正在重新建立。' }),
  },
  held_elsewhere: {
    en: () => ({
      what: 'Another Gatepost process answers for this bot.',
      next: 'This one takes over when that one stops.',
    }),
    zh: () => ({ what: '另一个 Gatepost 进程正在负责此机器人。', next: '它停止后，本进程会自动接管。' }),
  },
  bot_in_use: {
    en: () => ({
      what: 'Another account of this server uses this bot.',
      next: 'Use another bot here, or let the other account give it up.',
    }),
    zh: () => ({ what: '此服务器的另一个账号正在使用该机器人。', next: '请换一个机器人，或让那个账号停用它。' }),
  },
  lease_lost: {
    en: () => ({ what: 'Another process took the connection over, or the database did not answer in time.' }),
    zh: () => ({ what: '另一个进程接管了连接，或数据库未及时响应。' }),
  },
  database_unavailable: {
    en: () => ({ what: 'The database cannot be used at the moment.', next: 'Gatepost goes on when it can.' }),
    zh: () => ({ what: '数据库当前不可用。', next: '恢复后 Gatepost 会自动继续。' }),
  },
  internal: {
    en: () => ({ what: 'The connection ended unexpectedly.', next: 'Gatepost tries again; the log says more.' }),
    zh: () => ({ what: '连接意外中断。', next: 'Gatepost 会重试，详细原因见日志。' }),
  },
}

const STANDINGS: Readonly<Partial<Record<Standing, InBoth>>> = {
  absent: {
    en: (name) => ({ what: `No bot of ${name} is connected yet.` }),
    zh: (name) => ({ what: `尚未连接${name}机器人。` }),
  },
  off: {
    en: () => ({ what: 'Nobody is answered here while it is off.', next: 'The credentials are kept.' }),
    zh: () => ({ what: '停用期间不会回复任何人。', next: '凭据会保留。' }),
  },
  running: {
    en: (name) => ({ what: `Listening on ${name}, and answering.` }),
    zh: (name) => ({ what: `正在接收并回复${name}消息。` }),
  },
  connecting: {
    en: (name) => ({ what: `Connecting to ${name}…` }),
    zh: (name) => ({ what: `正在连接${name}…` }),
  },
}

/** What is the matter with a channel and what to do, in the language of the page; an unknown code as the service says it. */
export function reasonWords(
  {
    platform,
    standing,
    reason,
    message,
  }: {
    readonly platform: Platform
    readonly standing: Standing
    readonly reason: string | null
    readonly message: string | null
  },
  name: string,
  language: Language,
): Words {
  const matters = standing !== 'absent' && standing !== 'off' && standing !== 'running' && reason !== null
  const known = matters ? (REASONS[`${platform}.${reason}`] ?? REASONS[reason]) : STANDINGS[standing]
  return known?.[language](name) ?? { what: message ?? reason ?? stateTexts[language].standings[standing] }
}
