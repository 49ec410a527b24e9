import {
  anyText,
  assistantName,
  endpointUrl,
  flag,
  hostName,
  httpUrl,
  logLevel,
  openness,
  publicAddress,
  secretKeyList,
  serverList,
  variableNames,
  path,
  postgresUrl,
  visibleAscii,
  webSocketUrl,
  wholeNumber,
  type AssistantKind,
  type LogLevel,
  type Parse,
} from './forms.ts'

/** An environment variable. Shared by the configuration parser and the table in `docs/settings.md`. */
export interface Setting<T> {
  readonly name: string
  /** Default value as text; `null`: none. */
  readonly fallback: string | null
  /** Allowed values, as a phrase that follows "must be". */
  readonly form: string
  readonly about: string
  /** Whether the value is never shown. */
  readonly secret?: true
  /** Parses a text; `undefined` if it isn't allowed. */
  readonly parse: Parse<T>
}

interface Settings {
  readonly host: Setting<string>
  readonly port: Setting<number>
  readonly publicUrl: Setting<string>
  readonly hstsSubdomains: Setting<boolean>
  readonly dataDir: Setting<string>
  readonly databaseUrl: Setting<string>
  readonly secretKey: Setting<readonly [string, ...string[]]>
  readonly canForgetKeys: Setting<boolean>
  readonly logLevel: Setting<LogLevel>
  readonly retentionDays: Setting<number>
  readonly isSignupOpen: Setting<boolean>
  readonly auditDays: Setting<number>
  readonly isStaffFactorRequired: Setting<boolean>
  readonly privateServers: Setting<readonly string[]>
  readonly requestsPerMinute: Setting<number>
  readonly concurrentRequests: Setting<number>
  readonly eventStreams: Setting<number>
  readonly maxChannels: Setting<number>
  readonly maxTokens: Setting<number>
  readonly maxStoredMegabytes: Setting<number>
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
  readonly assistantVariables: Setting<readonly string[]>
  readonly assistantMaxReplyCharacters: Setting<number>
}

const HTTP_URL = 'an http or https URL without user, query or fragment'

/** The settings of the gateway. */
export const SETTINGS: Settings = {
  host: {
    name: 'GATEPOST_HOST',
    fallback: '127.0.0.1',
    form: 'an IP address or a host name',
    about: 'Address to listen on. Other than loopback, it requires an https `GATEPOST_PUBLIC_URL`.',
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
      'Public address of the server behind a reverse proxy, with an optional path. Requests for its host are accepted.',
    parse: publicAddress,
  },
  hstsSubdomains: {
    name: 'GATEPOST_HSTS_SUBDOMAINS',
    fallback: 'off',
    form: 'on or off',
    about:
      'Whether `Strict-Transport-Security` includes subdomains. On: browsers use https for every subdomain of the public host, too, for a year.',
    parse: flag,
  },
  dataDir: {
    name: 'GATEPOST_DATA_DIR',
    fallback: '~/.gatepost',
    form: 'a path',
    about: 'Data folder: database, credentials, owner token and logs.',
    parse: path,
  },
  databaseUrl: {
    name: 'GATEPOST_DATABASE_URL',
    fallback: null,
    form: 'a postgres:// or postgresql:// URL',
    about: 'PostgreSQL database. Unset: SQLite in the data folder.',
    secret: true,
    parse: postgresUrl,
  },
  secretKey: {
    name: 'GATEPOST_SECRET_KEY',
    fallback: null,
    form: '32 bytes as base64 or base64url, or several of them separated by commas',
    about:
      'Key that encrypts stored secrets. With several, the first one encrypts and all of them decrypt. Unset: created as `secret-key` in the data folder at first start.',
    secret: true,
    parse: secretKeyList,
  },
  canForgetKeys: {
    name: 'GATEPOST_FORGET_LOST_KEYS',
    fallback: 'off',
    form: 'on or off',
    about:
      'Whether to start even if stored data is encrypted with a key that is missing. On only for one start, if the key is lost.',
    parse: flag,
  },
  logLevel: {
    name: 'GATEPOST_LOG_LEVEL',
    fallback: 'info',
    form: 'debug, info, warn or error',
    about: 'Lowest level to log.',
    parse: logLevel,
  },
  retentionDays: {
    name: 'GATEPOST_RETENTION_DAYS',
    fallback: '90',
    form: 'a whole number from 8 to 3650',
    about:
      'How many days to keep messages, deliveries, and people and conversations without any. At least 8, because they are also used to detect repeated messages.',
    parse: wholeNumber(8, 3650),
  },
  isSignupOpen: {
    name: 'GATEPOST_SIGNUP',
    fallback: 'closed',
    form: 'open or closed',
    about: 'Whether anyone may sign up. Closed: only with an invitation, or with the link from the first start.',
    parse: openness,
  },
  auditDays: {
    name: 'GATEPOST_AUDIT_DAYS',
    fallback: '365',
    form: 'a whole number from 1 to 36500',
    about: 'How many days to keep the audit log.',
    parse: wholeNumber(1, 36_500),
  },
  isStaffFactorRequired: {
    name: 'GATEPOST_STAFF_SECOND_FACTOR',
    fallback: 'off',
    form: 'on or off',
    about:
      'Whether staff must use two-factor authentication. On: without it, staff can only access their own account. Staff see every account, so a stolen password should not be enough.',
    parse: flag,
  },
  privateServers: {
    name: 'GATEPOST_PRIVATE_SERVERS',
    fallback: null,
    form: 'host names, IP addresses or networks such as 10.0.0.0/8, separated by commas',
    about:
      "Servers without a public address that accounts may use in `base_url` or `domain`. Unset: only the owner's account may. A host name allows any address that it resolves to.",
    parse: serverList,
  },
  requestsPerMinute: {
    name: 'GATEPOST_REQUESTS_PER_MINUTE',
    fallback: '1200',
    form: 'a whole number from 1 to 1000000',
    about: 'How many API requests an account can send per minute and process. Not for the owner token.',
    parse: wholeNumber(1, 1_000_000),
  },
  concurrentRequests: {
    name: 'GATEPOST_CONCURRENT_REQUESTS',
    fallback: '32',
    form: 'a whole number from 1 to 10000',
    about: 'How many API requests of an account a process handles at the same time. Not for the owner token.',
    parse: wholeNumber(1, 10_000),
  },
  eventStreams: {
    name: 'GATEPOST_EVENT_STREAMS',
    fallback: '20',
    form: 'a whole number from 1 to 10000',
    about: 'How many event streams an account can have open per process. Not for the owner token.',
    parse: wholeNumber(1, 10_000),
  },
  maxChannels: {
    name: 'GATEPOST_MAX_CHANNELS',
    fallback: '6',
    form: 'a whole number from 1 to 6',
    about: "How many channels an account can set up. Not for the owner's account.",
    parse: wholeNumber(1, 6),
  },
  maxTokens: {
    name: 'GATEPOST_MAX_TOKENS',
    fallback: '100',
    form: 'a whole number from 1 to 10000',
    about: 'How many valid personal access tokens an account can have.',
    parse: wholeNumber(1, 10_000),
  },
  maxStoredMegabytes: {
    name: 'GATEPOST_MAX_STORED_MB',
    fallback: '2048',
    form: 'a whole number from 1 to 100000000',
    about:
      "How many megabytes of files from people are kept per account. Beyond that, new files aren't downloaded until retention deletes old ones. Not for the owner's account.",
    parse: wholeNumber(1, 100_000_000),
  },
  pacing: {
    name: 'GATEPOST_PACING',
    fallback: 'on',
    form: 'on or off',
    about:
      "Whether to keep to the platforms' published rate limits. Off: send at once and wait only when the platform asks for it; for a self-hosted Bot API server.",
    parse: flag,
  },
  concurrentTurns: {
    name: 'GATEPOST_CONCURRENT_TURNS',
    fallback: '64',
    form: 'a whole number from 1 to 10000',
    about: 'How many conversations the assistant handles at the same time.',
    parse: wholeNumber(1, 10_000),
  },
  leaseSeconds: {
    name: 'GATEPOST_LEASE_SECONDS',
    fallback: '15',
    form: 'a whole number from 5 to 300',
    about: 'How many seconds the connections of a crashed process stay reserved for it.',
    parse: wholeNumber(5, 300),
  },
  assistant: {
    name: 'GATEPOST_ASSISTANT',
    fallback: 'echo',
    form: 'echo, openai, http or command',
    about: 'Which assistant replies to messages.',
    parse: assistantName,
  },
  assistantBaseUrl: {
    name: 'GATEPOST_ASSISTANT_BASE_URL',
    fallback: null,
    form: HTTP_URL,
    about: 'With `openai` (required): base URL of the endpoint, e.g. `http://127.0.0.1:11434/v1`.',
    parse: httpUrl,
  },
  assistantApiKey: {
    name: 'GATEPOST_ASSISTANT_API_KEY',
    fallback: null,
    form: 'printable ASCII without spaces',
    about: 'With `openai` and `http`: bearer token to send. Unset: none.',
    secret: true,
    parse: visibleAscii,
  },
  assistantModel: {
    name: 'GATEPOST_ASSISTANT_MODEL',
    fallback: null,
    form: 'a text',
    about: 'With `openai` (required): name of the model.',
    parse: anyText,
  },
  assistantSystemPrompt: {
    name: 'GATEPOST_ASSISTANT_SYSTEM_PROMPT',
    fallback: null,
    form: 'a text',
    about: 'With `openai`: the system prompt. Unset: asks for concise replies in Markdown.',
    parse: anyText,
  },
  assistantUrl: {
    name: 'GATEPOST_ASSISTANT_URL',
    fallback: null,
    form: 'an http or https URL without user',
    about: 'With `http` (required): URL that receives each turn as a POST.',
    parse: endpointUrl,
  },
  assistantCommand: {
    name: 'GATEPOST_ASSISTANT_COMMAND',
    fallback: null,
    form: 'a command line',
    about: 'With `command` (required): the program to run.',
    parse: anyText,
  },
  assistantVariables: {
    name: 'GATEPOST_ASSISTANT_VARIABLES',
    fallback: null,
    form: "names of environment variables that don't start with GATEPOST_, separated by commas",
    about:
      'With `command`: environment variables that the program receives besides `PATH`, `HOME`, the locale, and other basic ones, e.g. `OPENAI_API_KEY`.',
    parse: variableNames,
  },
  assistantMaxReplyCharacters: {
    name: 'GATEPOST_ASSISTANT_MAX_REPLY_CHARACTERS',
    fallback: '100000',
    form: 'a whole number from 100 to 1000000',
    about: 'Longest reply of any assistant. A longer one is cut off with a note.',
    parse: wholeNumber(100, 1_000_000),
  },
}

const hostSetting = (name: string, fallback: string, purpose: string): Setting<string> => ({
  name,
  fallback,
  form: name.endsWith('_WS_URL') ? 'a ws or wss URL without user, query or fragment' : HTTP_URL,
  about: purpose,
  parse: name.endsWith('_WS_URL') ? webSocketUrl : httpUrl,
})

/** Platform hosts, e.g. to use an emulator. A channel's own `domain` or `base_url` takes precedence. */
export const HOST_SETTINGS: readonly Setting<string>[] = [
  hostSetting('GATEPOST_FEISHU_API_URL', 'https://open.feishu.cn', 'Feishu: Open API.'),
  hostSetting('GATEPOST_FEISHU_ACCOUNTS_URL', 'https://accounts.feishu.cn', 'Feishu: app registration.'),
  hostSetting('GATEPOST_WECOM_WS_URL', 'wss://openws.work.weixin.qq.com', 'WeCom: long connection.'),
  hostSetting('GATEPOST_WECOM_SETUP_URL', 'https://work.weixin.qq.com', 'WeCom: setup by QR code.'),
  hostSetting('GATEPOST_WECOM_PROBE_URL', 'https://qyapi.weixin.qq.com', 'WeCom: credential check.'),
  hostSetting('GATEPOST_WEIXIN_API_URL', 'https://ilinkai.weixin.qq.com', 'Weixin: sign-in and API.'),
  hostSetting('GATEPOST_WEIXIN_CDN_URL', 'https://novac2c.cdn.weixin.qq.com/c2c', 'Weixin: media.'),
  hostSetting(
    'GATEPOST_DISCORD_API_URL',
    'https://discord.com/api',
    'Discord: REST API, which returns the gateway URL.',
  ),
  hostSetting('GATEPOST_TELEGRAM_API_URL', 'https://api.telegram.org', 'Telegram: Bot API and files.'),
  hostSetting('GATEPOST_DINGTALK_API_URL', 'https://api.dingtalk.com', 'DingTalk: new API.'),
  hostSetting('GATEPOST_DINGTALK_OAPI_URL', 'https://oapi.dingtalk.com', 'DingTalk: old API, media, registration.'),
]

/** All settings, in the order of the manual. */
export const ALL_SETTINGS: readonly Setting<unknown>[] = [
  ...Object.values<Setting<unknown>>({ ...SETTINGS }),
  ...HOST_SETTINGS,
]
