import {
  anyText,
  assistantName,
  endpointUrl,
  flag,
  hostName,
  httpUrl,
  key32,
  logLevel,
  openness,
  publicAddress,
  path,
  postgresUrl,
  visibleAscii,
  webSocketUrl,
  wholeNumber,
  type AssistantKind,
  type LogLevel,
  type Parse,
} from './forms.ts'

/** One variable of the environment. The table in `docs/settings.md` and the reader of the configuration share it. */
export interface Setting<T> {
  readonly name: string
  /** What applies when it is unset, as one would write it; `null`: nothing. */
  readonly fallback: string | null
  /** What is allowed, to follow "must be". */
  readonly form: string
  readonly about: string
  /** Its value is never shown. */
  readonly secret?: true
  /** The value of an allowed text; `undefined` when it is not allowed. */
  readonly parse: Parse<T>
}

interface Settings {
  readonly host: Setting<string>
  readonly port: Setting<number>
  readonly publicUrl: Setting<string>
  readonly dataDir: Setting<string>
  readonly databaseUrl: Setting<string>
  readonly secretKey: Setting<string>
  readonly logLevel: Setting<LogLevel>
  readonly retentionDays: Setting<number>
  readonly isSignupOpen: Setting<boolean>
  readonly auditDays: Setting<number>
  readonly isStaffFactorRequired: Setting<boolean>
  readonly pacing: Setting<boolean>
  readonly concurrentTurns: Setting<number>
  readonly leaseSeconds: Setting<number>
  readonly assistant: Setting<AssistantKind>
  readonly assistantBaseUrl: Setting<string>
  readonly assistantApiKey: Setting<string>
  readonly assistantModel: Setting<string>
  readonly assistantSystemPrompt: Setting<string>
  readonly assistantUrl: Setting<string>
  readonly assistantCommand: Setting<string>
}

const HTTP_URL = 'an http or https URL without user, query or fragment'

export const SETTINGS: Settings = {
  host: {
    name: 'GATEPOST_HOST',
    fallback: '127.0.0.1',
    form: 'an IP address or a host name',
    about: 'Address to listen on. One that is not loopback needs an https `GATEPOST_PUBLIC_URL`.',
    parse: hostName,
  },
  port: {
    name: 'GATEPOST_PORT',
    fallback: '7070',
    form: 'a whole number from 0 to 65535 (0 takes a free port)',
    about: 'Port to listen on.',
    parse: wholeNumber(0, 65_535),
  },
  publicUrl: {
    name: 'GATEPOST_PUBLIC_URL',
    fallback: null,
    form: 'an http or https address such as https://gate.example.org or https://example.org/gate',
    about:
      'Where browsers and clients reach the server through a reverse proxy, also below a path. Requests that name its host are accepted.',
    parse: publicAddress,
  },
  dataDir: {
    name: 'GATEPOST_DATA_DIR',
    fallback: '~/.gatepost',
    form: 'a path',
    about: 'Folder of everything that is kept: database, credentials, owner token, logs.',
    parse: path,
  },
  databaseUrl: {
    name: 'GATEPOST_DATABASE_URL',
    fallback: null,
    form: 'a postgres:// or postgresql:// URL',
    about: 'PostgreSQL to use. Unset: SQLite in the data folder.',
    secret: true,
    parse: postgresUrl,
  },
  secretKey: {
    name: 'GATEPOST_SECRET_KEY',
    fallback: null,
    form: '32 bytes as base64 or base64url',
    about: 'Key that seals stored secrets. Unset: created as `secret-key` in the data folder at first start.',
    secret: true,
    parse: key32,
  },
  logLevel: {
    name: 'GATEPOST_LOG_LEVEL',
    fallback: 'info',
    form: 'debug, info, warn or error',
    about: 'Least important lines that are logged.',
    parse: logLevel,
  },
  retentionDays: {
    name: 'GATEPOST_RETENTION_DAYS',
    fallback: '90',
    form: 'a whole number from 8 to 3650',
    about:
      'Days for which messages and deliveries are kept. Eight at least: they also tell repeated messages from new ones.',
    parse: wholeNumber(8, 3650),
  },
  isSignupOpen: {
    name: 'GATEPOST_SIGNUP',
    fallback: 'closed',
    form: 'open or closed',
    about:
      'Whether everybody may create an account. Closed: only with an invitation, or with the link of the first start.',
    parse: openness,
  },
  auditDays: {
    name: 'GATEPOST_AUDIT_DAYS',
    fallback: '365',
    form: 'a whole number from 1 to 36500',
    about: 'Days for which the audit log is kept.',
    parse: wholeNumber(1, 36_500),
  },
  isStaffFactorRequired: {
    name: 'GATEPOST_STAFF_SECOND_FACTOR',
    fallback: 'off',
    form: 'on or off',
    about:
      'Whether staff need a second factor. On: without one they act in their own account alone. Staff see every account, so a stolen password should not be enough.',
    parse: flag,
  },
  pacing: {
    name: 'GATEPOST_PACING',
    fallback: 'on',
    form: 'on or off',
    about:
      "Keep to the platforms' published rates when sending. Off: send at once and wait only when the platform says so; for an own Bot API server.",
    parse: flag,
  },
  concurrentTurns: {
    name: 'GATEPOST_CONCURRENT_TURNS',
    fallback: '64',
    form: 'a whole number from 1 to 10000',
    about: 'Conversations that the assistant answers at the same time.',
    parse: wholeNumber(1, 10_000),
  },
  leaseSeconds: {
    name: 'GATEPOST_LEASE_SECONDS',
    fallback: '15',
    form: 'a whole number from 5 to 300',
    about: 'How long the connections of a process that died stay reserved for it.',
    parse: wholeNumber(5, 300),
  },
  assistant: {
    name: 'GATEPOST_ASSISTANT',
    fallback: 'echo',
    form: 'echo, openai, http or command',
    about: 'Who answers.',
    parse: assistantName,
  },
  assistantBaseUrl: {
    name: 'GATEPOST_ASSISTANT_BASE_URL',
    fallback: null,
    form: HTTP_URL,
    about: 'With `openai`: base URL of the endpoint, e.g. `http://127.0.0.1:11434/v1`. Required there.',
    parse: httpUrl,
  },
  assistantApiKey: {
    name: 'GATEPOST_ASSISTANT_API_KEY',
    fallback: null,
    form: 'printable ASCII without spaces',
    about: 'With `openai` and `http`: sent as the bearer. Unset: none is sent.',
    secret: true,
    parse: visibleAscii,
  },
  assistantModel: {
    name: 'GATEPOST_ASSISTANT_MODEL',
    fallback: null,
    form: 'a text',
    about: 'With `openai`: the model. Required there.',
    parse: anyText,
  },
  assistantSystemPrompt: {
    name: 'GATEPOST_ASSISTANT_SYSTEM_PROMPT',
    fallback: null,
    form: 'a text',
    about: 'With `openai`: how the assistant is told to behave. Unset: to answer concisely, in Markdown.',
    parse: anyText,
  },
  assistantUrl: {
    name: 'GATEPOST_ASSISTANT_URL',
    fallback: null,
    form: 'an http or https URL without user',
    about: 'With `http`: where each turn is posted. Required there.',
    parse: endpointUrl,
  },
  assistantCommand: {
    name: 'GATEPOST_ASSISTANT_COMMAND',
    fallback: null,
    form: 'a command line',
    about: 'With `command`: the local program. Required there.',
    parse: anyText,
  },
}

const hostSetting = (name: string, fallback: string, purpose: string): Setting<string> => ({
  name,
  fallback,
  form: name.endsWith('_WS_URL') ? 'a ws or wss URL without user, query or fragment' : HTTP_URL,
  about: purpose,
  parse: name.endsWith('_WS_URL') ? webSocketUrl : httpUrl,
})

/** Hosts of the platforms, each replaceable by a stand-in. A credential's own `domain` or `base_url` wins. */
export const HOST_SETTINGS: readonly Setting<string>[] = [
  hostSetting('GATEPOST_FEISHU_API_URL', 'https://open.feishu.cn', 'Feishu: open API.'),
  hostSetting('GATEPOST_FEISHU_ACCOUNTS_URL', 'https://accounts.feishu.cn', 'Feishu: app registration.'),
  hostSetting('GATEPOST_WECOM_WS_URL', 'wss://openws.work.weixin.qq.com', 'WeCom: long connection.'),
  hostSetting('GATEPOST_WECOM_SETUP_URL', 'https://work.weixin.qq.com', 'WeCom: set-up by QR code.'),
  hostSetting('GATEPOST_WECOM_PROBE_URL', 'https://qyapi.weixin.qq.com', 'WeCom: check of credentials.'),
  hostSetting('GATEPOST_WEIXIN_API_URL', 'https://ilinkai.weixin.qq.com', 'Weixin: log-in and API.'),
  hostSetting('GATEPOST_WEIXIN_CDN_URL', 'https://novac2c.cdn.weixin.qq.com/c2c', 'Weixin: media.'),
  hostSetting('GATEPOST_DISCORD_API_URL', 'https://discord.com/api', 'Discord: REST; it names the gateway.'),
  hostSetting('GATEPOST_TELEGRAM_API_URL', 'https://api.telegram.org', 'Telegram: Bot API and files.'),
  hostSetting('GATEPOST_DINGTALK_API_URL', 'https://api.dingtalk.com', 'DingTalk: new API.'),
  hostSetting('GATEPOST_DINGTALK_OAPI_URL', 'https://oapi.dingtalk.com', 'DingTalk: old API, media, registration.'),
]

/** Every setting, in the order of the manual. */
export const ALL_SETTINGS: readonly Setting<unknown>[] = [
  ...Object.values<Setting<unknown>>({ ...SETTINGS }),
  ...HOST_SETTINGS,
]
