import { ApiError, type FailureCode } from '../api/api-error.ts'
import type { Language } from './language.ts'

/** The sentence for whoever looks at the page. Codes that are not known yet are told in the service's own words. */
export function sentenceOf(error: unknown, language: Language): string {
  if (!(error instanceof ApiError)) return UNFORESEEN[language]
  return sentenceOfCode(error.code, error.message, language)
}

/** The same for a code that stands in an answer, e.g. of a set-up. @param message The service's own sentence. */
export function sentenceOfCode(code: string, message: string, language: Language): string {
  const table: Readonly<Record<string, string | undefined>> = language === 'zh' ? CHINESE : ENGLISH
  const sentence = table[code]
  if (sentence === undefined) return message
  return language === 'zh' && SAYS_MORE.has(code) && message !== '' ? `${sentence}（${message}）` : sentence
}

const UNFORESEEN: Readonly<Record<Language, string>> = {
  en: 'Something went wrong on this page. Load it again.',
  zh: '此页面出现问题，请重新加载。',
}

/** Where the service's sentence says what exactly was the matter. */
const SAYS_MORE: ReadonlySet<string> = new Set<FailureCode>([
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

/** Where the service speaks to programs, or does not speak at all. */
const ENGLISH: Readonly<Partial<Record<FailureCode, string>>> = {
  no_answer: 'Gatepost cannot be reached. It may be restarting: try again in a moment.',
  unreadable: 'Something between this page and Gatepost answered in its place.',
  unauthorized: 'You are signed out. Sign in again.',
  scope_missing: 'You are not allowed to do this.',
  csrf_failed: 'This page is too old. Load it again.',
  second_factor_required: 'This is for staff, and staff need a second factor: set one up in your account.',
  rate_limited: 'That was too often. Wait a moment, then try again.',
  no_credentials: 'This platform is not connected yet.',
  not_running: 'This channel is not running. Switch it on first.',
  user_required: 'Choose who it is for.',
  unknown_account: 'There is no such account.',
  unknown_invitation: 'This invitation was used or taken back.',
  unknown_token: 'This token was revoked already.',
  unknown_host: 'Gatepost does not know itself by this name. Set GATEPOST_PUBLIC_URL.',
}

const CHINESE: Readonly<Record<FailureCode, string>> = {
  no_answer: '无法连接 Gatepost，它可能正在重启，请稍后再试。',
  unreadable: '响应并非来自 Gatepost，可能被中间的代理拦截。',
  rate_limited: '操作过于频繁，请稍候再试。',
  already_bound: '此账号已连接，原有凭据已保留。',
  assistant_failed: '助手没有回复。',
  assistant_invalid: '助手的这些设置无法使用。',
  assistant_unreadable: '当前密钥无法读取已保存的助手设置，请重置。',
  bad_request: '请求格式不正确。',
  body_too_large: '内容超过 1 MiB。',
  bot_in_use: '此服务器的另一个账号已在使用该机器人。',
  code_blocked: '输错次数过多，请用新的二维码重新开始。',
  config_broken: '无法读取凭据文件。',
  config_unwritable: '无法写入凭据文件。',
  console_missing: '网页控制台尚未构建，请运行 npm start。',
  credentials_invalid: '凭据格式不正确。',
  credentials_rejected: '平台拒绝了这些凭据。',
  csrf_failed: '此页面已过期，请重新加载。',
  database_unavailable: '数据库当前不可用。',
  delivery_not_dead: '此消息并未失败，或已有人处理。',
  delivery_pending: '消息已保存并将发送，但尚未确认。',
  delivery_refused: '平台拒绝了这条消息。',
  delivery_unknown: '平台没有说明消息是否已显示。',
  demo_failed: '演示未能启动。',
  demo_not_here: '演示只能在本机通过 npx gatepost demo 启动。',
  demo_refused: '模拟平台无法执行此操作。',
  expired: '二维码已过期，请重新开始。',
  foreign_origin: '不接受来自其他网站的请求。',
  internal_error: '服务出现内部错误。',
  invalid_body: '填写的内容格式不正确。',
  invalid_input: '部分内容无法接受。',
  invalid_query: '查询条件格式不正确。',
  lease_lost: '另一个进程已接管此连接。',
  malformed_json: '内容不是有效的 JSON。',
  media_too_large: '文件超过允许的大小。',
  media_unavailable: '平台没有提供该文件。',
  message_empty: '消息没有可显示的内容。',
  method_not_allowed: '此地址不支持该操作。',
  no_context: '对方需要先给机器人发消息，然后再试。',
  no_credentials: '此平台尚未连接。',
  no_demo: '此服务不是演示环境。',
  no_first_account: '请先通过启动时打印的链接创建第一个账号。',
  no_known_users: '还没有人给机器人发过消息，对方需要先发一条。',
  not_available: '此账号无法使用这种方式，请换一种。',
  not_found: '此地址没有内容。',
  not_running: '此渠道未运行，请先启用。',
  own_account: '不能更改自己的权限，请联系其他管理员。',
  owner_account: '所有者账号只能用所有者令牌更改。',
  platform_unreachable: '无法连接到平台。',
  public_client: '公开客户端没有密钥。',
  quota_used_up: '平台目前不允许再给此人发送消息。',
  refused: '手机上拒绝了请求，请重新开始。',
  scope_missing: '您没有权限执行此操作。',
  scope_not_allowed: '令牌的权限不能超过创建者的权限。',
  second_factor_required: '此功能仅限管理员，管理员需要先设置两步验证。',
  set_by_environment: '此项由环境变量设置，只能在那里更改。',
  setup_input_unexpected: '设置向导目前不需要输入。',
  setup_kind_unknown: '此平台不支持这种设置方式。',
  span_invalid: '时间范围无效，最长为 92 天。',
  stale_session: '收到的是之前的登录，请用新的二维码重新开始。',
  stopping: '服务正在停止。',
  too_many_setups: '正在进行的设置太多，请取消一个或稍等。',
  too_many_tokens: '已有 100 个有效令牌，请先撤销一个。',
  unauthorized: '您已退出登录，请重新登录。',
  unknown_account: '没有此账号。',
  unknown_conversation: '没有此对话。',
  unknown_delivery: '没有此消息。',
  unknown_host: '服务不认识此主机名，请设置 GATEPOST_PUBLIC_URL。',
  unknown_invitation: '此邀请已被使用或撤回。',
  unknown_platform: '没有此平台。',
  unknown_setup: '没有此设置过程，可能已结束或服务已重启。',
  unknown_token: '此令牌已被撤销。',
  unreachable: '无法连接到平台。',
  unsupported_media_type: '内容必须是 JSON。',
  user_required: '请选择接收者。',
}
