import type { Check } from '../../api/gateway-api.ts'
import type { Language } from '../../language/language.ts'
import { describeFindingInChinese } from './finding-texts.ts'

/** A check in the language of the page. */
export interface CheckText {
  readonly title: string
  /** The result. */
  readonly result: string
  /** The finding, if `result` doesn't contain it. */
  readonly evidence: string | null
  readonly remedy: string | null
}

const COMMAND = /\bnpx gatepost\b/
const URL_PATTERN = /https?:\/\/[^\s)]+[^\s).,;:]/g

/** Describes a check in the page's language. Unknown checks keep the service's own texts. */
export function describeCheck(check: Check, language: Language): CheckText {
  const { id, title, detail, status } = check
  const remedy = status === 'pass' ? null : (check.remedy ?? null)
  if (language === 'zh') return describeInChinese(CHINESE[id], check, remedy)
  // the service's remedies name commands, but the console has buttons
  const own = remedy !== null && COMMAND.test(remedy) ? ENGLISH_REMEDIES[id] : undefined
  return { title, result: detail, evidence: null, remedy: own ?? remedy }
}

function describeInChinese(words: ChineseCheck | undefined, check: Check, remedy: string | null): CheckText {
  const { title, detail, status } = check
  if (words === undefined) return { title, result: detail, evidence: null, remedy }
  const urls = remedy?.match(URL_PATTERN) ?? []
  const own = words.remedy === undefined ? remedy : [words.remedy, ...urls].join(' ')
  const result = status === 'pass' ? words.pass : words.not
  return { title: words.title, result, evidence: describeFindingInChinese(check), remedy: remedy === null ? null : own }
}

/** A part of a remedy: text or a link. */
interface RemedyPiece {
  readonly text: string
  readonly isUrl: boolean
}

/** Splits a remedy into text and links. */
export function splitRemedy(remedy: string): readonly RemedyPiece[] {
  const pieces: RemedyPiece[] = []
  let end = 0
  for (const { 0: text, index } of remedy.matchAll(URL_PATTERN)) {
    if (index > end) pieces.push({ text: remedy.slice(end, index), isUrl: false })
    pieces.push({ text, isUrl: true })
    end = index + text.length
  }
  if (end < remedy.length) pieces.push({ text: remedy.slice(end), isUrl: false })
  return pieces
}

/** A check in Chinese. */
interface ChineseCheck {
  readonly title: string
  /** The result if it passed. */
  readonly pass: string
  /** The result otherwise. */
  readonly not: string
  /** Default: the service's own remedy. */
  readonly remedy?: string
}

const RECONNECT = 'Disable the channel, then enable it again.'

/** Remedies for the console by check ID, where the service's name a command. */
const ENGLISH_REMEDIES: Readonly<Record<string, string | undefined>> = {
  config_readable: 'Connect your first channel on the Channels page.',
  credentials_present: 'Set up this channel.',
  channel_running:
    'Enable the channel. If its credentials were rejected, replace them. If another program uses the bot, stop that program first.',
  last_heard: `The connection may be dead. ${RECONNECT}`,
  no_gaps:
    "See the gaps on the channel's page. People who wrote during that time may need to send their messages again.",
  deliveries: 'Retry or dismiss the failed messages.',
  send_window: 'Ask people to message the bot. After that you can message them again.',
  log_today: "Check the channel's status on its page.",
  token_accepted: 'Replace the credentials of this channel.',
  credentials_accepted:
    'Copy the Client ID and Client Secret from the developer console again, then set up the channel with them.',
  gateway_alive: `Gatepost reconnects automatically. If it doesn't: ${RECONNECT}`,
  one_connection: 'Enable the channel.',
  last_frame: RECONNECT,
  stream_alive: RECONNECT,
  subscribed: 'Copy the Bot ID and Secret from the admin console again, then set up the channel with them.',
  not_taken_over: 'Stop the other program, or create a separate bot for this service. Then enable the channel again.',
  credentials_known: 'Find the bot in the admin console, then set up the channel with its Bot ID and Secret.',
}

const CHECK_NETWORK = '请检查网络、防火墙和代理。'
const RESTART = '请停用此渠道，然后重新启用。'
const NEW_CREDENTIALS = '请更换此渠道的凭证。'

/** All checks by ID. */
const CHINESE: Readonly<Record<string, ChineseCheck | undefined>> = {
  database: {
    title: '数据库',
    pass: '数据库响应正常。',
    not: '数据库无响应。',
    remedy: '请启动 GATEPOST_DATABASE_URL 指定的数据库，或释放数据目录。',
  },
  mail: {
    title: '邮件发送',
    pass: '可以发送邮件。',
    not: '邮件仅输出到服务器终端，收件人收不到。',
    remedy: '请通过 EMAIL_HOST 配置邮件服务器。',
  },
  staff_second_factor: {
    title: '管理员两步验证',
    pass: '所有管理员均已启用必需的两步验证。',
    not: '有管理员未启用两步验证，暂无管理权限。',
    remedy: '请他们登录后在账号页面设置两步验证。',
  },
  clock: {
    title: '系统时间',
    pass: '系统时间准确。',
    not: '系统时间与平台相差过大。',
    remedy: '请通过时间服务器（NTP）校准系统时间。',
  },
  config_readable: {
    title: '渠道配置',
    pass: '配置可以读取。',
    not: '没有可用的渠道配置。',
    remedy: '如尚未连接渠道，请在“渠道”页面连接；如配置文件已损坏，请修复或移走后重新设置。',
  },
  credentials_present: {
    title: '凭证',
    pass: '必需的凭证齐全。',
    not: '凭证缺失或格式不正确。',
    remedy: '请重新设置此渠道。',
  },
  own_state: {
    title: '渠道状态记录',
    pass: '状态记录正常。',
    not: '无法读取此渠道的状态。',
    remedy: '请查看服务日志。',
  },
  platform_checks: {
    title: '平台检查',
    pass: '平台检查已完成。',
    not: '平台检查未能完成。',
    remedy: `${CHECK_NETWORK}然后重试。`,
  },
  channel_running: {
    title: '渠道运行状态',
    pass: '渠道运行正常。',
    not: '渠道未正常运行。',
    remedy: '请启用此渠道。如凭证被拒绝，请更换凭证；如其他程序正在使用此机器人，请先停止该程序。',
  },
  last_heard: {
    title: '平台心跳',
    pass: '近期收到过平台心跳。',
    not: '近期未收到平台心跳。',
    remedy: `连接可能已中断。${RESTART}`,
  },
  no_gaps: {
    title: '消息完整性',
    pass: '过去 24 小时内没有消息缺口。',
    not: '过去 24 小时内可能有消息丢失。',
    remedy: '请在渠道页面查看消息缺口，该时段内发消息的用户可能需要重新发送。',
  },
  deliveries: {
    title: '消息发送',
    pass: '没有失败消息。',
    not: '有消息发送失败。',
    remedy: '请重试或忽略失败消息。',
  },
  send_window: {
    title: '主动发消息',
    pass: '可以给用户发消息。',
    not: '目前没有可主动联系的用户。',
    remedy: '请让用户先给机器人发一条消息。',
  },
  log_today: {
    title: '今日日志',
    pass: '今日日志显示连接正常。',
    not: '今日日志中没有成功的连接。',
    remedy: '请在渠道页面查看状态。',
  },
  server_reachable: {
    title: '平台服务器',
    pass: '平台服务器响应正常。',
    not: '无法连接平台服务器。',
    remedy: `${CHECK_NETWORK}如使用自定义地址，请确认地址正确。`,
  },
  token_accepted: {
    title: 'Bot Token',
    pass: 'Token 有效。',
    not: '平台拒绝了 Token。',
    remedy: NEW_CREDENTIALS,
  },
  credentials_accepted: {
    title: '凭证有效性',
    pass: '凭证有效。',
    not: '平台拒绝了凭证。',
    remedy: '请从开放平台重新复制凭证，然后重新设置此渠道。',
  },
  credentials_form: {
    title: 'Bot ID 和 Secret 的格式',
    pass: '格式正确。',
    not: '格式不正确。',
    remedy: NEW_CREDENTIALS,
  },
  credentials_known: {
    title: '企业微信识别此机器人（仅供参考）',
    pass: '签名验证通过。',
    not: '签名验证未通过。',
    remedy: '请在管理后台找到此机器人，并用其 Bot ID 和 Secret 重新设置。',
  },
  app_id_shape: { title: 'App ID 的格式', pass: '格式正确。', not: '格式不正确。', remedy: NEW_CREDENTIALS },
  no_webhook: {
    title: 'Webhook',
    pass: '未设置 Webhook，消息由此服务接收。',
    not: '已设置 Webhook，消息会发往别处，或无法确认是否设置。',
    remedy: '如不再需要 Webhook，请用此 Token 调用 Bot API 的 deleteWebhook；如无法确认，请一分钟后重试。',
  },
  pending_updates: { title: 'Telegram 待接收消息', pass: '待接收消息数量正常。', not: '有消息等待接收。' },
  group_privacy: { title: '群聊可见范围', pass: '由隐私模式决定。', not: '由隐私模式决定。' },
  message_content: {
    title: '读取消息内容',
    pass: '已开启 MESSAGE CONTENT INTENT。',
    not: '未开启 MESSAGE CONTENT INTENT：机器人在服务器中只能读取提及它的消息，私信不受影响。',
    remedy: '请在开发者后台开启 MESSAGE CONTENT INTENT：',
  },
  session_budget: {
    title: '会话配额',
    pass: '今日会话配额充足。',
    not: '今日剩余会话配额不足。',
    remedy: '请检查是否有其他程序使用同一 Token 反复连接，并停止该程序。配额每天恢复。',
  },
  in_server: {
    title: '已加入服务器',
    pass: '机器人已加入服务器。',
    not: '机器人未加入任何服务器，用户无法在服务器中与它对话。',
    remedy: '请邀请机器人：',
  },
  gateway_alive: {
    title: '网关连接',
    pass: '连接正常。',
    not: '当前未连接。',
    remedy: `通常会自动重连。如未恢复，${RESTART}`,
  },
  bot_usable: {
    title: '机器人能力',
    pass: '机器人已启用并发布。',
    not: '机器人未启用，或版本未发布。',
    remedy: '请在开放平台添加机器人能力并发布版本：',
  },
  scopes: {
    title: '应用权限',
    pass: '权限齐全。',
    not: '缺少权限，或无法确认。',
    remedy: '请在开放平台开通权限并发布版本：',
  },
  one_connection: {
    title: '长连接数量',
    pass: '仅此服务建立了长连接。',
    not: '长连接数量异常。',
    remedy: '如有其他程序使用此应用连接，请停止该程序；如没有任何连接，请启用此渠道。',
  },
  last_frame: { title: '长连接', pass: '长连接正常。', not: '长连接没有数据。', remedy: RESTART },
  subscribed: {
    title: '企业微信长连接',
    pass: '已建立连接。',
    not: '当前没有可用的连接。',
    remedy: '请从管理后台重新复制 Bot ID 和 Secret，然后重新设置。',
  },
  not_taken_over: {
    title: '连接占用',
    pass: '没有其他程序使用此机器人。',
    not: '同一机器人的另一个连接中断了当前连接。',
    remedy: '请停止另一个程序，或为此服务单独创建机器人，然后重新启用渠道。',
  },
  not_limited: {
    title: '连接频率',
    pass: '未触发频率限制。',
    not: '上次连接触发了频率限制，稍后会自动重试。',
    remedy: '请等待几分钟，不要重启。',
  },
  cdn_reachable: {
    title: '文件服务器',
    pass: '文件服务器响应正常。',
    not: '无法连接文件服务器：可以收发文字，但不能收发文件。',
    remedy: CHECK_NETWORK,
  },
  polls_answered: {
    title: '消息轮询',
    pass: '轮询正常。',
    not: '最近的轮询没有响应。',
    remedy: '请一分钟后再次检查，并查看日志。',
  },
  sends_left: {
    title: '可发送条数',
    pass: '可以给用户发消息。',
    not: '部分用户暂时无法联系，需要对方先发一条消息。',
    remedy: '请让对方在微信中给机器人发一条消息。',
  },
  stream_ready: {
    title: 'Stream 模式',
    pass: '钉钉允许以 Stream 模式连接。',
    not: '钉钉不允许以 Stream 模式连接。',
    remedy: '请将机器人的消息接收模式设为 Stream 并发布版本，或一分钟后重试。',
  },
  stream_alive: {
    title: 'Stream 连接',
    pass: '最近 90 秒内收到过数据。',
    not: '连接未建立，或没有数据。',
    remedy: RESTART,
  },
  last_message: { title: '消息接收', pass: '接收正常。', not: '尚未收到消息。' },
  permissions: {
    title: '发送权限',
    pass: '权限齐全。',
    not: '有消息因缺少权限被拒绝。',
    remedy:
      '请在开放平台（open-dev.dingtalk.com）为应用开通 qyapi_robot_sendmsg 权限并发布版本，然后停用并重新启用渠道。',
  },
  cards: {
    title: '流式回复',
    pass: '支持流式回复。',
    not: '回复会在生成完成后一次性发送。',
    remedy:
      '如需流式回复：请在开放平台（open-dev.dingtalk.com）开通 Card.Instance.Write 和 Card.Streaming.Write 权限并发布版本，然后停用并重新启用渠道。',
  },
}
