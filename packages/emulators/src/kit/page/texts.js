/** Texts of the pages by key. English is also what the HTML files contain before the scripts run. */
const EN = {
  skip: 'Skip to the message box',
  platforms: 'Platforms',
  conversations: 'Conversations',
  subtitle: 'Emulated, local and offline',
  chatAs: 'Chat as',
  directChat: 'direct chat',
  groupAs: (name) => `group, as ${name}`,
  group: 'Harbour office',
  emulator: (platform) => `${platform} emulator`,
  botConnected: 'Bot connected',
  unconfirmed: 'Unconfirmed messages',
  pendingUpdates: 'Pending updates',
  yes: 'yes',
  no: 'no',
  connecting: 'connecting',
  connected: 'connected',
  notConnected: 'not connected',
  typing: 'typing',
  withBot: (bot, status) => `with ${bot}, ${status}`,
  withBotMention: (bot, username) => `with ${bot}: write @${username}`,
  blocked: 'you blocked this bot',
  emulatorLost: 'lost the connection to the emulator, retrying',
  setupCode: 'Setup code',
  setupWaiting: (person) => `A setup code is waiting for ${person} to scan it.`,
  setupScanned: 'The setup code was scanned. Allow it?',
  acts: {
    scan: 'Scan',
    confirm: 'Confirm',
    refuse: 'Decline',
    expire: 'Let it expire',
    redirect: 'Redirect to another host',
    stale: 'Return an old login',
    already_bound: 'Already bound',
  },
  messages: 'Messages',
  empty: 'No messages yet. Say hello.',
  reply: 'Reply',
  edit: 'Edit',
  cancel: 'Cancel',
  attach: 'Attach an image or a file',
  message: 'Message',
  send: 'Send',
  captionFor: (file) => `Caption for ${file}`,
  tooLarge: 'The file is larger than 20 MB.',
  mentionHint: 'Mention the bot in the message',
  writing: 'writing',
  edited: (time) => `edited ${time}`,
  file: 'File',
  photo: 'Photo',
  voiceMessage: 'Voice message',
  bytes: (count) => `${count} bytes`,
  faults: 'Faults',
  faultsHint: 'Break something and see how the bot copes.',
  requests: 'Requests',
  log: 'Log',
  blockBot: 'Block the bot',
  blockBotHint: 'Messages to you return 403.',
  failed: (method, kind) => `${method} failed: ${kind}`,
  confirmedUpdate: (id) => `Bot confirmed update ${id}`,
  notDeliveredBlocked: 'Not delivered: the bot is blocked',
  notDeliveredPrivacy: 'Not delivered: privacy mode withholds it from the bot',
}

const ZH = {
  skip: '跳到消息输入框',
  platforms: '平台',
  conversations: '会话',
  subtitle: '本地模拟，无需联网',
  chatAs: '聊天身份',
  directChat: '单聊',
  groupAs: (name) => `群聊，身份：${name}`,
  group: '港务办公室',
  emulator: (platform) => `${platform}模拟器`,
  botConnected: '机器人已连接',
  unconfirmed: '未确认的消息',
  pendingUpdates: '待处理的更新',
  yes: '是',
  no: '否',
  connecting: '正在连接',
  connected: '已连接',
  notConnected: '未连接',
  typing: '正在输入',
  withBot: (bot, status) => `成员包括 ${bot}，${status}`,
  withBotMention: (bot, username) => `成员包括 ${bot}，发言时请 @${username}`,
  blocked: '你已屏蔽此机器人',
  emulatorLost: '与模拟器的连接已断开，正在重试',
  setupCode: '配置二维码',
  setupWaiting: (person) => `二维码正在等待 ${person} 扫描。`,
  setupScanned: '二维码已扫描，是否授权？',
  acts: {
    scan: '扫描',
    confirm: '确认',
    refuse: '拒绝',
    expire: '使其过期',
    redirect: '重定向到其他域名',
    stale: '返回旧的登录信息',
    already_bound: '已绑定',
  },
  messages: '消息',
  empty: '暂无消息，打个招呼吧。',
  reply: '回复',
  edit: '编辑',
  cancel: '取消',
  attach: '添加图片或文件',
  message: '消息',
  send: '发送',
  captionFor: (file) => `为 ${file} 添加说明`,
  tooLarge: '文件不能超过 20 MB。',
  mentionHint: '在消息中 @机器人',
  writing: '正在生成',
  edited: (time) => `已编辑 ${time}`,
  file: '文件',
  photo: '图片',
  voiceMessage: '语音消息',
  bytes: (count) => `${count} 字节`,
  faults: '故障',
  faultsHint: '制造故障，观察机器人如何应对。',
  requests: '请求',
  log: '日志',
  blockBot: '屏蔽机器人',
  blockBotHint: '发给你的消息返回 403。',
  failed: (method, kind) => `${method} 失败：${kind}`,
  confirmedUpdate: (id) => `机器人已确认更新 ${id}`,
  notDeliveredBlocked: '未送达：机器人已被屏蔽',
  notDeliveredPrivacy: '未送达：隐私模式下机器人收不到这条消息',
}

const PLATFORM_NAMES_ZH = { feishu: '飞书', wecom: '企业微信', weixin: '微信', dingtalk: '钉钉' }

const requested = new URLSearchParams(location.search).get('lang')

/** Whether the page is in Chinese: by `?lang=`, otherwise by the browser's language. */
export const isChinese = (requested ?? navigator.language).toLowerCase().startsWith('zh')

export const texts = isChinese ? ZH : EN

/** Returns the name of a platform in the page's language. */
export const platformName = ({ platform, label }) => (isChinese ? (PLATFORM_NAMES_ZH[platform] ?? label) : label)

/** Returns the label and hint of a fault in the page's language. */
export const switchText = ({ label, hint, zh }) => (isChinese ? zh : { label, hint })

/** Returns the address of another page, in the same language when it was requested. */
export function withLanguage(address) {
  const url = new URL(address)
  if (requested !== null) url.searchParams.set('lang', requested)
  return url.href
}

/** Fills in elements with `data-text`, and attributes with `data-label`, `data-title` and `data-placeholder`. */
export function translatePage() {
  document.documentElement.lang = isChinese ? 'zh-CN' : 'en'
  for (const element of document.querySelectorAll('[data-text]')) element.textContent = texts[element.dataset.text]
  for (const [key, attribute] of [
    ['label', 'aria-label'],
    ['title', 'title'],
    ['placeholder', 'placeholder'],
  ]) {
    for (const element of document.querySelectorAll(`[data-${key}]`)) {
      element.setAttribute(attribute, texts[element.dataset[key]])
    }
  }
}
