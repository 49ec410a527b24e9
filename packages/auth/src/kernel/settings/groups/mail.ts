import { HOST } from './host.ts'
import type { MailTransport } from '../../mail/mail.ts'
import { flag, kind, nullable, secretText, seconds, textLine, textLike, wholeNumber } from '../kind.ts'
import { setting } from '../setting.ts'

/** How email is delivered. */
export type MailBackend = 'smtp' | 'console' | 'file' | 'locmem' | 'dummy'

const BACKENDS: Readonly<Record<string, MailBackend>> = {
  smtp: 'smtp',
  console: 'console',
  file: 'file',
  filebased: 'file',
  locmem: 'locmem',
  dummy: 'dummy',
}

const isTransport = (value: unknown): value is MailTransport =>
  typeof value === 'object' && value !== null && 'send' in value && typeof value.send === 'function'

/** Returns a transport that calls the host's object, which stays as it is when the settings are frozen. */
const bindTransport = (host: MailTransport): MailTransport => ({
  send: async (message, signal) => host.send(message, signal),
  close: async () => host.close?.(),
})

const backend = kind<MailBackend | MailTransport, string | MailTransport>(
  'smtp, console, file, locmem, dummy, an equivalent class path, or an object with a function send (set in code)',
  'django.core.mail.backends.smtp.EmailBackend',
  (value) => {
    if (isTransport(value)) return bindTransport(value)
    const name = typeof value === 'string' ? value.replace(/\.EmailBackend$/, '').replace(/^.*\./, '') : ''
    return Object.hasOwn(BACKENDS, name) ? BACKENDS[name] : undefined
  },
)

const emailHost = setting({
  name: 'EMAIL_HOST',
  kind: textLike('a host name', 'smtp.example.org', /^[A-Za-z0-9._:[\]-]+$/, 253),
  fallback: 'localhost',
  about: 'Mail server.',
})

const emailUseSsl = setting({
  name: 'EMAIL_USE_SSL',
  kind: flag,
  fallback: false,
  about: "Uses TLS from the first byte. Can't be combined with EMAIL_USE_TLS.",
})

/** Email delivery, with Django's setting names. */
export const MAIL = {
  emailHost,
  emailUseSsl,
  emailBackend: setting({
    name: 'EMAIL_BACKEND',
    kind: backend,
    fallback: (get) => (get(HOST.development) && get(emailHost) === 'localhost' ? 'console' : 'smtp'),
    fallbackText: 'smtp; console in development mode without EMAIL_HOST',
    about:
      'smtp sends email, console prints it, file writes each email to a file in EMAIL_FILE_PATH, locmem keeps it in auth.kernel.mail.outbox, and dummy discards it. An object sends it in its own way.',
  }),
  emailPort: setting({
    name: 'EMAIL_PORT',
    kind: wholeNumber(1, 65_535),
    fallback: 25,
    about: 'Port of the mail server.',
  }),
  emailHostUser: setting({
    name: 'EMAIL_HOST_USER',
    kind: textLine(320),
    fallback: '',
    about: 'User name at the mail server. Empty: no authentication.',
  }),
  emailHostPassword: setting({
    name: 'EMAIL_HOST_PASSWORD',
    kind: secretText,
    fallback: '',
    secret: true,
    about: 'Password at the mail server.',
  }),
  emailUseTls: setting({
    name: 'EMAIL_USE_TLS',
    kind: flag,
    fallback: false,
    about: 'Requires STARTTLS.',
  }),
  emailTimeout: setting({
    name: 'EMAIL_TIMEOUT',
    kind: nullable(seconds(1, 600)),
    fallback: 30,
    about: 'Timeout for the mail server, in seconds. null: 600.',
    finish: (value) => value ?? 600,
  }),
  emailFilePath: setting({
    name: 'EMAIL_FILE_PATH',
    kind: nullable(textLine(4_000)),
    fallback: null,
    about: 'Folder for the file backend.',
  }),
  defaultFromEmail: setting({
    name: 'DEFAULT_FROM_EMAIL',
    kind: textLike(
      'an email address, or a name and an email address in angle brackets',
      'Example <hello@example.org>',
      /^[^@<>]*<[^@<>\s]+@[^@<>\s]+>$|^[^@<>\s]+@[^@<>\s]+$/,
      320,
    ),
    fallback: 'webmaster@localhost',
    about: 'Sender of every email.',
  }),
}
