import { ApiError, type FailureCode } from '../api/client.ts'
import type { Language } from './language.ts'

/** Returns an error's message in the page's language. Unknown codes keep the service's own message. */
export function errorMessage(error: unknown, language: Language): string {
  if (!(error instanceof ApiError)) return UNEXPECTED[language]
  return errorCodeMessage(error.code, error.message, language)
}

/** Returns the message of an error code, e.g. of a setup. @param message The service's own message. */
export function errorCodeMessage(code: string, message: string, language: Language): string {
  const table: Readonly<Record<string, string | undefined>> = language === 'zh' ? CHINESE : ENGLISH
  const text = table[code]
  if (text === undefined) return message
  return language === 'zh' && WITH_DETAILS.has(code) && message !== '' ? `${text}（${message}）` : text
}

const UNEXPECTED: Readonly<Record<Language, string>> = {
  en: 'Something went wrong on this page. Reload it and try again.',
  zh: '页面出错了，请刷新后重试。',
}

/** Codes whose English message adds details. */
const WITH_DETAILS: ReadonlySet<string> = new Set<FailureCode>([
  'credentials_invalid',
  'credentials_rejected',
  'platform_unreachable',
  'not_running',
  'delivery_refused',
  'assistant_failed',
  'assistant_invalid',
  'set_by_environment',
  'invalid_body',
  'invalid_query',
  'invalid_input',
  'demo_refused',
  'demo_failed',
  'setup_input_unexpected',
])

/** Replaces messages written for API clients, and covers failures without a response. */
const ENGLISH: Readonly<Partial<Record<FailureCode, string>>> = {
  no_answer: "Couldn't reach Gatepost. It may be restarting. Try again in a moment.",
  unreadable: 'Got an unexpected response, probably from a proxy between this page and Gatepost.',
  unauthorized: "You're signed out. Sign in again.",
  scope_missing: "You don't have permission to do this.",
  csrf_failed: 'This page is out of date. Reload it and try again.',
  reauthentication_required: "You didn't confirm that it's you, so nothing was changed.",
  second_factor_required: 'Staff must use two-factor authentication. Set it up on your account page.',
  rate_limited: 'Too many attempts. Wait a moment and try again.',
  no_credentials: "This platform isn't connected yet.",
  not_running: "This channel isn't running. Enable it first.",
  user_required: 'Choose a recipient.',
  unknown_account: "This account doesn't exist.",
  unknown_invitation: 'This invitation has been used or revoked.',
  unknown_token: 'This token has already been revoked.',
  unknown_host: "Gatepost doesn't recognize this host name. Set GATEPOST_PUBLIC_URL.",
}

const CHINESE: Readonly<Record<FailureCode, string>> = {
  no_answer: '无法连接 Gatepost，服务可能正在重启，请稍后重试。',
  unreadable: '收到的响应不是来自 Gatepost，请检查中间的代理。',
  rate_limited: '操作过于频繁，请稍后再试。',
  already_bound: '该账号已连接，原有凭证保持不变。',
  assistant_failed: '助手未回复。',
  assistant_invalid: '助手设置有误。',
  assistant_unreadable: '无法解密已保存的助手设置，请重置。',
  bad_request: '请求格式不正确。',
  body_too_large: '请求内容超过 1 MiB。',
  bot_in_use: '该机器人已被此服务上的另一个账号使用。',
  code_blocked: '输错次数过多，请重新获取二维码。',
  config_broken: '无法读取凭证文件。',
  config_unwritable: '无法写入凭证文件。',
  console_missing: '网页控制台尚未构建，请运行 npm start。',
  credentials_invalid: '凭证格式不正确。',
  credentials_rejected: '平台拒绝了该凭证。',
  csrf_failed: '页面已过期，请刷新后重试。',
  database_unavailable: '数据库暂时不可用。',
  delivery_not_dead: '该消息不是失败消息，或已被处理。',
  delivery_pending: '消息已保存，将自动发送，平台尚未确认。',
  delivery_refused: '平台拒绝了该消息。',
  delivery_unknown: '平台未确认消息是否送达。',
  demo_failed: '演示启动失败。',
  demo_not_here: '演示只能在本机运行 npx gatepost demo 启动。',
  demo_refused: '模拟平台不支持该操作。',
  expired: '二维码已过期，请重新获取。',
  foreign_origin: '不接受来自其他网站的请求。',
  internal_error: '服务内部错误。',
  invalid_body: '填写的内容格式不正确。',
  invalid_input: '部分内容不符合要求。',
  invalid_query: '查询条件格式不正确。',
  lease_lost: '连接已被另一个进程接管。',
  malformed_json: '内容不是有效的 JSON。',
  media_too_large: '文件超过大小限制。',
  media_unavailable: '无法从平台获取该文件。',
  message_empty: '消息没有可显示的内容。',
  method_not_allowed: '该地址不支持此请求方法。',
  no_context: '需要对方先给机器人发消息，之后才能发送。',
  no_credentials: '该平台尚未连接。',
  no_demo: '当前服务不是演示环境。',
  no_first_account: '请先打开启动时输出的链接，创建第一个账号。',
  no_known_users: '还没有人给机器人发过消息，需要对方先发送一条。',
  not_available: '当前账号无法使用该方式，请换一种。',
  not_found: '请求的内容不存在。',
  not_running: '该渠道未运行，请先启用。',
  own_account: '不能修改自己的权限，请联系其他管理员。',
  owner_account: '所有者账号只能使用所有者令牌修改。',
  platform_unreachable: '无法连接到平台。',
  public_client: '公开客户端没有密钥。',
  quota_used_up: '平台暂时不允许继续给该用户发送消息。',
  refused: '手机端已拒绝，请重新开始。',
  scope_missing: '您没有权限执行此操作。',
  scope_not_allowed: '令牌的权限不能超出创建者的权限。',
  reauthentication_required: '未完成身份验证，未做任何更改。',
  second_factor_required: '管理员必须启用两步验证，请先在账号页面设置。',
  set_by_environment: '该项由环境变量设置，无法在此修改。',
  server_not_public: '该服务器没有公网地址。如需使用内网服务器，请联系管理员设置 GATEPOST_PRIVATE_SERVERS。',
  setup_input_unexpected: '当前步骤不需要输入内容。',
  setup_kind_unknown: '该平台不支持此设置方式。',
  span_invalid: '时间范围无效，最长 92 天。',
  stale_session: '扫码登录的结果已失效，请用新的二维码重试。',
  stopping: '服务正在停止。',
  too_many_setups: '同时进行的设置过多，请取消一个或稍后再试。',
  too_many_channels: '该账号的渠道数量已达上限，请先移除一个。',
  too_many_requests: '请求过于频繁，请稍后再试。',
  too_many_streams: '该账号打开的事件流过多，请先关闭一些页面。',
  too_many_tokens: '有效令牌数量已达上限，请先撤销不用的令牌。',
  unauthorized: '登录已失效，请重新登录。',
  unknown_account: '账号不存在。',
  unknown_conversation: '会话不存在。',
  unknown_delivery: '消息不存在。',
  unknown_host: '服务无法识别此域名，请设置 GATEPOST_PUBLIC_URL。',
  unknown_invitation: '邀请已被使用或撤销。',
  unknown_platform: '平台不存在。',
  unknown_setup: '设置流程不存在，可能已结束，或服务已重启。',
  unknown_token: '令牌已被撤销。',
  unreachable: '无法连接到平台。',
  unsupported_media_type: '内容必须是 JSON。',
  user_required: '请选择接收人。',
}
