/** A check in Chinese. */
export interface ChineseWords {
  readonly title: string
  /** When it passed. */
  readonly pass: string
  /** When it did not. */
  readonly not: string
  /** What to do then. Default: the service's own words. */
  readonly remedy?: string
}

const RECONNECT = 'Disable the channel and enable it again.'

/** What to do on this page, by the id of the check, where the service names a command. */
export const ENGLISH_REMEDIES: Readonly<Record<string, string | undefined>> = {
  config_readable: 'Connect your first channel on the page “Channels”.',
  credentials_present: 'Set this channel up on its page.',
  channel_running:
    'Enable the channel. Where its credentials were refused, give it new ones; where another program uses the bot, stop that one first.',
  last_heard: `The connection may be dead. ${RECONNECT}`,
  no_gaps: 'Look at the page of the channel. Who wrote in that time may have to write again.',
  deliveries: 'Look at the messages that failed: send them again, or dismiss them.',
  send_window: 'Ask people to write to the bot: then they can be written to again.',
  log_today: 'Look at the state of the channel on its page.',
  token_accepted: 'Give this channel new credentials.',
  credentials_accepted:
    'Copy Client ID and Client Secret from the developer console again, and set the channel up with them.',
  gateway_alive: `It connects again by itself. If it does not: ${RECONNECT.toLowerCase()}`,
  one_connection: 'Enable the channel.',
  last_frame: RECONNECT,
  stream_alive: RECONNECT,
  subscribed: 'Copy Bot ID and Secret from the admin console again, and set the channel up with them.',
  not_taken_over: 'Stop the other program, or create a bot of its own for this service. Then enable the channel again.',
  credentials_known: 'Look the bot up in the admin console, and set the channel up with its Bot ID and Secret.',
}

const CHECK_NETWORK = '请检查网络、防火墙和中间的代理。'
const RESTART = '请停用此渠道，再重新启用。'
const NEW_CREDENTIALS = '请为此渠道填写新的凭据。'

/** The checks of the service and of all platforms, by their ids. */
export const CHINESE: Readonly<Record<string, ChineseWords | undefined>> = {
  database: {
    title: '数据库可用',
    pass: '数据库正常响应。',
    not: '数据库没有响应。',
    remedy: '请启动 GATEPOST_DATABASE_URL 指定的数据库，或释放数据目录。',
  },
  mail: {
    title: '邮件',
    pass: '可以发送邮件。',
    not: '邮件只显示在服务器的终端上，其他人收不到。',
    remedy: '请在 EMAIL_HOST 中设置邮件服务器。',
  },
  staff_second_factor: {
    title: '管理员',
    pass: '没有人缺少必需的两步验证。',
    not: '有管理员尚未设置两步验证，因此没有管理权限。',
    remedy: '请他们登录后在账号页面设置两步验证。',
  },
  clock: {
    title: '时钟与平台一致',
    pass: '时间准确。',
    not: '本机时间与平台相差过大。',
    remedy: '请使用时间服务器（NTP）校准时钟。',
  },
  config_readable: {
    title: '渠道配置可读取',
    pass: '可以读取。',
    not: '没有可用的渠道配置。',
    remedy: '如果还没有渠道，请在“渠道”页面连接一个；如果配置文件已损坏，请修复或移走它，然后重新设置。',
  },
  credentials_present: {
    title: '凭据已保存',
    pass: '必需的凭据齐全。',
    not: '缺少凭据，或格式不正确。',
    remedy: '请重新设置此渠道。',
  },
  own_state: {
    title: '服务了解此渠道的状态',
    pass: '状态正常。',
    not: '无法读取此渠道的状态。',
    remedy: '请查看服务的日志。',
  },
  platform_checks: {
    title: '可以检查平台',
    pass: '平台可以检查。',
    not: '无法完成对平台的检查。',
    remedy: `${CHECK_NETWORK}然后重试。`,
  },
  channel_running: {
    title: '渠道正在运行',
    pass: '正在接收消息。',
    not: '没有正常接收消息。',
    remedy: '请启用此渠道。如果凭据被拒绝，请填写新的凭据；如果其他程序正在使用此机器人，请先停止它。',
  },
  last_heard: {
    title: '能收到平台的信号',
    pass: '最近收到过平台的信号。',
    not: '最近没有收到平台的信号。',
    remedy: `连接可能已中断。${RESTART}`,
  },
  no_gaps: {
    title: '最近没有遗漏消息',
    pass: '过去 24 小时内没有遗漏的迹象。',
    not: '过去 24 小时内可能遗漏了消息。',
    remedy: '请查看渠道页面。那段时间发消息的人可能需要重新发送。',
  },
  deliveries: {
    title: '消息全部送达',
    pass: '没有失败的消息。',
    not: '有消息发送失败。',
    remedy: '请查看失败的消息，重新发送或忽略。',
  },
  send_window: {
    title: '可以主动发消息',
    pass: '可以给用户发消息。',
    not: '目前没有可以主动联系的用户。',
    remedy: '请让用户先给机器人发一条消息。',
  },
  log_today: {
    title: '今天的日志',
    pass: '今天的日志显示连接正常。',
    not: '今天的日志没有显示连接成功。',
    remedy: '请在渠道页面查看其状态。',
  },
  server_reachable: {
    title: '平台服务器有响应',
    pass: '服务器正常响应。',
    not: '无法连接平台服务器。',
    remedy: `${CHECK_NETWORK}如果设置了自定义地址，请确认地址正确。`,
  },
  token_accepted: {
    title: '平台接受令牌',
    pass: '令牌有效。',
    not: '平台拒绝了令牌。',
    remedy: NEW_CREDENTIALS,
  },
  credentials_accepted: {
    title: '平台接受凭据',
    pass: '凭据有效。',
    not: '平台拒绝了凭据。',
    remedy: '请从开放平台重新复制凭据，并重新设置此渠道。',
  },
  credentials_form: {
    title: 'Bot ID 和 Secret 格式正确',
    pass: '格式正确。',
    not: '格式不正确。',
    remedy: NEW_CREDENTIALS,
  },
  credentials_known: {
    title: '企业微信认识此机器人（仅供参考）',
    pass: '签名验证通过。',
    not: '签名验证没有通过。',
    remedy: '请在管理后台查看此机器人，并用其 Bot ID 和 Secret 重新设置。',
  },
  app_id_shape: { title: 'App ID 格式正确', pass: '格式正确。', not: '格式不正确。', remedy: NEW_CREDENTIALS },
  no_webhook: {
    title: '消息会送到此服务',
    pass: '没有设置 Webhook。',
    not: '设置了 Webhook，消息被送往别处，或无法确认。',
    remedy: '如果不再需要 Webhook，请用此令牌调用 Bot API 的 deleteWebhook；无法确认时请一分钟后重试。',
  },
  pending_updates: { title: '在 Telegram 等待的消息', pass: '等待中的消息数量如下。', not: '有消息在等待。' },
  group_privacy: { title: '机器人在群里能看到什么', pass: '取决于隐私模式，当前设置如下。', not: '当前设置如下。' },
  message_content: {
    title: '机器人可以读取消息内容',
    pass: '已开启读取消息内容的权限。',
    not: '没有开启读取消息内容的权限：在服务器里只能看到提到它的消息，私信不受影响。',
    remedy: '请在开发者页面打开 MESSAGE CONTENT INTENT：',
  },
  session_budget: {
    title: '可以建立新会话',
    pass: '今天的会话次数充足。',
    not: '今天剩余的会话次数不足。',
    remedy: '请检查是否有其他程序在用同一令牌反复连接并停止它。次数每天恢复。',
  },
  in_server: {
    title: '机器人已加入服务器',
    pass: '已加入服务器。',
    not: '机器人没有加入任何服务器，别人无法在服务器里与它对话。',
    remedy: '请邀请机器人：',
  },
  gateway_alive: {
    title: '与网关的连接正常',
    pass: '连接正常。',
    not: '目前没有连接。',
    remedy: `通常会自动重连。如果没有，${RESTART}`,
  },
  bot_usable: {
    title: '机器人已启用并发布',
    pass: '机器人可用。',
    not: '机器人没有启用，或没有发布版本。',
    remedy: '请在开放平台添加机器人能力并发布版本：',
  },
  scopes: {
    title: '应用拥有所需权限',
    pass: '权限齐全。',
    not: '缺少权限，或无法确认。',
    remedy: '请在开放平台授予权限并发布版本：',
  },
  one_connection: {
    title: '只有此服务接收消息',
    pass: '只有一个程序连接。',
    not: '连接的程序数量不对。',
    remedy: '如果有其他程序以此应用连接，请停止它；如果没有任何连接，请启用此渠道。',
  },
  last_frame: { title: '长连接正常', pass: '最近收到过数据。', not: '长连接没有数据。', remedy: RESTART },
  subscribed: {
    title: '企业微信已接受连接',
    pass: '已订阅，连接正常。',
    not: '目前没有被接受的连接。',
    remedy: '请从管理后台重新复制 Bot ID 和 Secret，并重新设置。',
  },
  not_taken_over: {
    title: '没有其他程序使用此机器人',
    pass: '没有发现其他连接。',
    not: '同一机器人的另一个连接中断了我们的连接。',
    remedy: '请停止另一个程序，或为此服务单独创建机器人，然后重新启用渠道。',
  },
  not_limited: {
    title: '企业微信没有限制连接',
    pass: '没有限制。',
    not: '上次连接触发了频率限制，稍后会自动重试。',
    remedy: '请等待几分钟，不要重启。',
  },
  cdn_reachable: {
    title: '文件服务器有响应',
    pass: '文件服务器正常响应。',
    not: '无法连接文件服务器：文字可以收发，文件不行。',
    remedy: CHECK_NETWORK,
  },
  polls_answered: {
    title: '轮询得到响应',
    pass: '轮询正常。',
    not: '最近的轮询没有得到响应。',
    remedy: '请一分钟后再看，然后查看日志。',
  },
  sends_left: {
    title: '还可以给用户发消息',
    pass: '可以发送。',
    not: '有用户暂时不能联系：需要他们先发一条消息。',
    remedy: '请让他们在微信里给机器人发一条消息。',
  },
  stream_ready: {
    title: '应用可以使用 Stream 模式',
    pass: '钉钉允许连接。',
    not: '钉钉不允许连接。',
    remedy: '请将机器人的消息接收模式设为 Stream 并发布版本，或一分钟后重试。',
  },
  stream_alive: {
    title: 'Stream 连接正常',
    pass: '最近 90 秒内收到过数据。',
    not: '连接没有打开，或没有数据。',
    remedy: RESTART,
  },
  last_message: { title: '能收到消息', pass: '接收正常。', not: '没有收到消息。' },
  permissions: {
    title: '应用拥有发送所需的权限',
    pass: '权限齐全。',
    not: '有消息因缺少权限被拒绝。',
    remedy:
      '请在开放平台（open-dev.dingtalk.com）授予应用 qyapi_robot_sendmsg 权限并发布版本，然后停用并重新启用渠道。',
  },
  cards: {
    title: '回复可以边写边显示',
    pass: '可以。',
    not: '回复会在完成后作为一条消息送达。',
    remedy:
      '如需更改：请在开放平台（open-dev.dingtalk.com）授予 Card.Instance.Write 和 Card.Streaming.Write 权限并发布版本，然后停用并重新启用渠道。',
  },
}
