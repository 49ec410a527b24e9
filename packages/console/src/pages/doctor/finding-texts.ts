import type { Check } from '../../api/gateway-api.ts'

type Values = NonNullable<Check['values']>

/** Renders a finding in Chinese. `null`: the check's result needs no details. */
type Render = (values: Values) => string | null

const read = (values: Values, name: string): string => {
  const value = values[name]
  return Array.isArray(value) ? value.join('、') : value === null || value === undefined ? '' : String(value)
}

/** Returns a count from the values; 0 if it's missing. */
const count = (values: Values, name: string): number => Number(values[name] ?? 0)

/** Formats a time from the values in the browser's time zone. */
const time = (values: Values, name: string): string => new Date(read(values, name)).toLocaleString('zh-CN')

function formatAge(seconds: number): string {
  if (seconds < 120) return `${seconds} 秒`
  const minutes = Math.round(seconds / 60)
  return minutes < 120 ? `${minutes} 分钟` : `${Math.round(minutes / 60)} 小时`
}

/** Explains why a call failed, quoting the platform's own message. */
function explainFailure(values: Values): string {
  switch (values['cause']) {
    case 'timed_out':
      return `${read(values, 'seconds')} 秒内无响应`
    case 'connection_failed':
      return values['error'] === null ? '连接失败' : `连接失败（${read(values, 'error')}）`
    case 'foreign_response':
      return `返回 HTTP ${read(values, 'status')}，可能来自代理，或地址有误`
    case 'cancelled':
      return '请求已取消'
    default:
      return quoteWords(values)
  }
}

const quoteWords = (values: Values): string => `平台返回：${read(values, 'words')}`
const withCode = (values: Values): string => `平台返回：${read(values, 'words')}（${read(values, 'code')}）`
const atUrl: Render = (values) => `${read(values, 'url')}：${explainFailure(values)}`
const silent: Render = () => null

function describeClose(values: Values): string {
  return values['close_code'] === null ? '' : `上一个连接的关闭码为 ${read(values, 'close_code')}。`
}

const STATES: Readonly<Record<string, string | undefined>> = {
  credentials_rejected: '平台拒绝了凭证。',
  credentials_invalid: '已保存的凭证格式不正确。',
  no_credentials: '尚未保存凭证。',
  configuration: '平台上有一项设置未开启。',
  taken_over: '另一个程序正在使用此机器人。',
  rate_limited: '触发了平台的频率限制。',
  network: '无法连接平台。',
  reconnecting: '连接已断开，正在重连。',
  held_elsewhere: '此机器人正由另一个 Gatepost 进程运行。',
  bot_in_use: '此服务上的另一个账号正在使用该机器人。',
  lease_lost: '连接已被另一个进程接管，或数据库响应超时。',
  database_unavailable: '数据库暂时不可用。',
  internal: '连接意外中断。',
}
const explainState: Render = (values) => STATES[read(values, 'reason')] ?? null

/** Reasons why the most recently seen user is unreachable. */
const UNREACHABLE: Readonly<Record<string, string | undefined>> = {
  no_direct_chat: '只在群聊中发过消息',
  bot_blocked: '已屏蔽或移除机器人',
  bot_left: '机器人已不在该群中',
  bot_muted: '机器人在该群中没有发言权限',
  no_context: '需要先给机器人发消息',
  quota_used_up: '平台暂时不允许继续发送',
  rate_limited: '触发了平台的频率限制',
}

/** All findings by code. */
const CHINESE: Readonly<Record<string, Render | undefined>> = {
  mail_sent: (values) => `发送方式：${read(values, 'backend')}。`,
  mail_printed: silent,
  mail_discarded: silent,
  staff_complete: silent,
  staff_incomplete: (values) => `未启用两步验证：${read(values, 'names')}。`,
  config_readable: silent,
  config_broken: (values) => `读取失败：${read(values, 'message')}`,
  channels_configured: (values) => `已配置：${read(values, 'names')}。`,
  no_channels: () => '尚未配置任何渠道。',
  database_responds: silent,
  database_unavailable: () => '数据库无响应。',
  clock_skew: (values) => `相差 ${read(values, 'seconds')} 秒。`,
  check_failed: () => '检查时发生意外错误。',
  check_timed_out: () => '平台未在规定时间内响应。',
  no_credentials: () => '尚未保存凭证。',
  credentials_complete: (values) => `已保存：${read(values, 'fields')}。`,
  credentials_incomplete: (values) => `以下字段有缺失或格式不正确：${read(values, 'fields')}。`,
  log_unreadable: () => '无法读取今日日志。',
  no_log: () => '今天还没有日志文件。',
  log_connected: silent,
  log_failure: (values) => `最近一条记录是失败：${explainState(values) ?? read(values, 'words')}`,
  log_without_failures: () => '今天没有失败记录，连接从昨天保持至今。',
  log_without_entries: () => '今日日志中没有此渠道的记录。',
  channel_disabled: () => '渠道已停用。',
  channel_running: silent,
  channel_state: explainState,
  no_heartbeat: () => '尚未收到心跳。',
  heartbeat: (values) =>
    `${read(values, 'seconds')} 秒前收到心跳，${values['last_message'] === null ? '尚未收到消息' : `最近一条消息：${time(values, 'last_message')}`}。`,
  no_gaps: silent,
  gaps: (values) => `共 ${read(values, 'count')} 处，最近一处：${time(values, 'from')} 至 ${time(values, 'to')}。`,
  deliveries_queued: (values) => (count(values, 'count') === 0 ? null : `${count(values, 'count')} 条消息等待发送。`),
  deliveries_failed: (values) => `${read(values, 'count')} 条消息发送失败。`,
  no_users: () => '还没有人给机器人发过消息。',
  users_reachable: (values) =>
    `${read(values, 'total')} 位已知用户中，${read(values, 'reachable')} 位可以联系${values['least'] === null ? '' : `，每人至少还可发送 ${read(values, 'least')} 条`}。`,
  users_unreachable: (values) =>
    `${read(values, 'total')} 位已知用户均无法联系。最近一位：${UNREACHABLE[read(values, 'code')] ?? read(values, 'words')}。`,
  server_responds: (values) => read(values, 'url'),
  server_unreachable: atUrl,
  refused: explainFailure,
  bot_accepted: (values) => `${read(values, 'name')}（${read(values, 'id')}）`,
  unknown_response: (values) => `${read(values, 'url')}：返回的内容不是机器人信息`,
  not_connected: () => '当前未连接。',
  app_id_valid: (values) => `${read(values, 'app_id')}…`,
  token_issued: (values) => `已获取 ${read(values, 'app_id')}… 的访问凭证。`,
  bot_enabled: (values) => read(values, 'name'),
  bot_not_enabled: (values) => read(values, 'name'),
  scopes_unknown: () => '无法获取已开通的权限。',
  scopes_missing: (values) => `缺少：${read(values, 'scopes')}。`,
  scopes_not_granted: (values) => `未开通：${read(values, 'scopes')}。`,
  scopes_granted: (values) => `已开通 ${read(values, 'count')} 项权限。`,
  connections_unknown: () => '无法获取长连接数量。',
  several_connections: (values) => `有 ${read(values, 'count')} 个程序使用此应用连接，每条消息只会推送给其中一个。`,
  no_connection: (values) => (values['own'] === true ? '飞书显示没有长连接。' : '没有程序使用此应用连接。'),
  one_connection: (values) => (values['own'] === true ? '由当前进程连接。' : '由另一个进程连接。'),
  last_frame: (values) => `${read(values, 'seconds')} 秒前收到数据，心跳间隔 ${read(values, 'every')} 秒。`,
  credentials_valid: (values) => read(values, 'bot_id'),
  connected_to: (values) => `已连接 ${read(values, 'url')}。`,
  connection_failed: atUrl,
  subscribed: (values) =>
    `${read(values, 'seconds')} 秒前收到心跳${values['fresh'] === true ? '' : '，即将重新连接'}。`,
  never_subscribed: () => '当前进程启动后尚未连接此机器人。',
  subscribed_before: () => '此前连接成功，当前未连接。',
  subscription_refused: withCode,
  not_taken_over: silent,
  taken_over: () => '企业微信只允许同一机器人保持一个连接。',
  not_limited: silent,
  limited: withCode,
  probe_accepted: silent,
  probe_inconclusive: (values) => `无法判断：${explainFailure(values)}。`,
  probe_refused: (values) =>
    `${withCode(values)}${values['doubt'] === 'connected' ? '。长连接已建立，可忽略此结果。' : values['doubt'] === 'new_bot' ? '。新建的机器人可能误报。' : ''}`,
  login_accepted: () => '无法检测是否有其他程序使用同一 Token；如有，每条消息只会被其中一个收到。',
  files_unreachable: atUrl,
  last_poll: (values) => `${formatAge(count(values, 'seconds'))}前收到响应，此后失败 ${read(values, 'failures')} 次。`,
  no_windows: () => '服务启动后还没有人给机器人发过消息，暂时无法主动发送。',
  sends_left: (values) => {
    const [open, usedUp] = [count(values, 'open'), count(values, 'used_up')]
    return [
      `${open} 位用户可以联系${open === 0 ? '' : `，每人至少还可发送 ${read(values, 'least')} 条`}。`,
      usedUp === 0 ? '' : `${usedUp} 位用户的条数已用完，需要对方再次发消息。`,
      values['seconds'] === null ? '' : `最近一条消息在 ${formatAge(count(values, 'seconds'))}前。`,
    ].join('')
  },
  content_enabled: silent,
  content_disabled: silent,
  content_unknown: () => '无法确认 MESSAGE CONTENT INTENT 是否开启。',
  no_gateway: () => 'Discord 未返回网关地址。',
  sessions_left: (values) => `今日剩余 ${read(values, 'count')} 次。`,
  in_servers: (values) => `已加入 ${read(values, 'count')} 个服务器：${read(values, 'name')}`,
  in_no_server: () => '只有与机器人在同一服务器的用户才能给它发消息。',
  gateway_heard: (values) => `${read(values, 'seconds')} 秒前收到数据。${describeClose(values)}`,
  gateway_silent: (values) => `${read(values, 'seconds')} 秒内没有收到数据。${describeClose(values)}`,
  gateway_closed: (values) => describeClose(values) || null,
  privacy_disabled: () => '隐私模式已关闭：机器人会收到群内所有消息。',
  privacy_enabled: () =>
    '隐私模式已开启：机器人在群内只会收到命令、提及和对它的回复。如需更改，请向 BotFather 发送 /setprivacy，然后将机器人移出群聊并重新加入。',
  webhook_unknown: () => '无法确认是否设置了 Webhook。',
  no_webhook: silent,
  webhook_set: (values) => (values['host'] === null ? '消息发往其他服务器。' : `消息发往 ${read(values, 'host')}。`),
  updates_pending: (values) => (values['count'] === null ? '数量未知。' : `${read(values, 'count')} 条。`),
  access_token_issued: () => '已获取访问凭证。',
  stream_offered: silent,
  stream_refused: (values) => quoteWords(values),
  stream_alive: silent,
  stream_silent: () => '已超过 90 秒没有收到数据。',
  message_received: silent,
  no_message: () => '服务启动后尚未收到消息。机器人在群聊中只会收到 @ 它的消息。',
  sends_refused: (values) => `服务启动后有 ${read(values, 'count')} 次发送被拒绝，最近一次：${read(values, 'words')}`,
  no_cards: (values) => quoteWords(values),
}

/** Renders a check's finding in Chinese; `null` if there are no details. Findings of newer services stay in English. */
export function describeFindingInChinese({ finding, values, detail }: Check): string | null {
  const render = finding === undefined || !Object.hasOwn(CHINESE, finding) ? undefined : CHINESE[finding]
  return render === undefined ? detail : render(values ?? {})
}
