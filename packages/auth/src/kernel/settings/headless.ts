import {
  choice,
  classChoice,
  flag,
  fromJson,
  isPlainText,
  isRecord,
  type Kind,
  kind,
  listOf,
  nullable,
  orDefault,
  secretText,
  seconds,
  text,
  textLike,
} from './kind.ts'
import { setting } from './setting.ts'

const FRONTEND_NAMES = [
  'account_confirm_email',
  'account_reset_password',
  'account_reset_password_from_key',
  'account_signup',
  'socialaccount_login_error',
] as const

/** Link of the front end -> URL or path in which `{key}` is replaced. */
export type FrontendUrls = Readonly<Partial<Record<(typeof FRONTEND_NAMES)[number], string>>>

const frontendUrls: Kind<FrontendUrls> = kind<FrontendUrls>(
  `an object of paths or http(s) URLs for ${FRONTEND_NAMES.join(', ')}`,
  { account_confirm_email: 'https://app.example.org/verify/{key}' },
  (value) => {
    if (!isRecord(value)) return undefined
    const urls: Partial<Record<(typeof FRONTEND_NAMES)[number], string>> = {}
    for (const [written, url] of Object.entries(value)) {
      const name = FRONTEND_NAMES.find((known) => known === written)
      if (!name || !isPlainText(url, 2_000) || !/^(\/(?!\/)|https?:\/\/)\S*$/.test(url)) return undefined
      urls[name] = url
    }
    return urls
  },
  fromJson,
)

const algorithm = choice('RS256', 'RS384', 'RS512', 'HS256', 'HS384', 'HS512')

const strategy = classChoice(
  {
    session: 'session',
    sessiontokenstrategy: 'session',
    strategysession: 'session',
    jwt: 'jwt',
    jwttokenstrategy: 'jwt',
    strategyjwt: 'jwt',
  } as const,
  'jwt',
)

/** The JSON API: `HEADLESS_…`, also written with the product's name before it. */
export const HEADLESS = {
  enabled: setting({ name: 'HEADLESS_ENABLED', kind: flag, fallback: false, about: 'Switches the module on.' }),
  only: setting({
    name: 'HEADLESS_ONLY',
    kind: flag,
    fallback: false,
    about: 'No pages: only the JSON API, and the callbacks of providers.',
  }),
  path: setting({
    name: 'HEADLESS_PATH',
    kind: textLike('a path with a slash at both ends', '/_allauth/', /^\/([A-Za-z0-9_~.-]+\/)+$/, 200),
    fallback: '/_allauth/',
    about: 'Where the JSON API is mounted: {client}/v1/ follows.',
  }),
  clients: setting({
    name: 'HEADLESS_CLIENTS',
    kind: listOf(choice('app', 'browser'), 'app, browser'),
    fallback: ['app', 'browser'],
    about: 'Kinds of client that are served.',
  }),
  frontendUrls: setting({
    name: 'HEADLESS_FRONTEND_URLS',
    kind: frontendUrls,
    fallback: {},
    about: 'Pages of the front end that mails and redirects lead to; {key} is replaced.',
  }),
  jwtAccessTokenExpiresIn: setting({
    name: 'HEADLESS_JWT_ACCESS_TOKEN_EXPIRES_IN',
    kind: seconds(),
    fallback: 300,
    about: 'Life of an access token, in seconds.',
  }),
  jwtAlgorithm: setting({
    name: 'HEADLESS_JWT_ALGORITHM',
    aliases: ['HEADLESS_TOKEN_JWT_ALGORITHM'],
    kind: algorithm,
    fallback: 'RS256',
    about: 'Signature of access tokens.',
  }),
  jwtAudience: setting({
    name: 'HEADLESS_JWT_AUDIENCE',
    kind: nullable(text(200)),
    fallback: null,
    about: 'For whom tokens are, the claim aud; null: the issuer.',
  }),
  jwtAuthorizationHeaderScheme: setting({
    name: 'HEADLESS_JWT_AUTHORIZATION_HEADER_SCHEME',
    kind: textLike('one word', 'Bearer', /^[A-Za-z0-9-]+$/, 40),
    fallback: 'Bearer',
    about: 'Word before the token in the Authorization header.',
  }),
  jwtIssuer: setting({
    name: 'HEADLESS_JWT_ISSUER',
    kind: nullable(text(200)),
    fallback: null,
    about: 'Who makes tokens, the claim iss; null: the origin of the server.',
  }),
  jwtPrivateKey: setting({
    name: 'HEADLESS_JWT_PRIVATE_KEY',
    aliases: ['HEADLESS_TOKEN_JWT_SECRET_KEY'],
    kind: secretText,
    fallback: '',
    secret: true,
    about:
      'PEM of the key for RS algorithms, of 2048 bits or more (of several keys the first one signs, the others, which may be ' +
      'public, still count); a secret for HS, of 32 bytes or more for HS256, 48 for HS384, 64 for HS512 (empty: derived ' +
      'from the secret key).',
  }),
  jwtRefreshTokenExpiresIn: setting({
    name: 'HEADLESS_JWT_REFRESH_TOKEN_EXPIRES_IN',
    kind: seconds(),
    fallback: 86_400,
    about: 'Life of a refresh token, in seconds.',
  }),
  jwtRotateRefreshToken: setting({
    name: 'HEADLESS_JWT_ROTATE_REFRESH_TOKEN',
    kind: flag,
    fallback: true,
    about: 'Each refresh gives a new refresh token.',
  }),
  jwtStatefulValidationEnabled: setting({
    name: 'HEADLESS_JWT_STATEFUL_VALIDATION_ENABLED',
    kind: flag,
    fallback: false,
    about: 'Access tokens end with their session.',
  }),
  serveSpecification: setting({
    name: 'HEADLESS_SERVE_SPECIFICATION',
    kind: flag,
    fallback: false,
    about: 'Serves the OpenAPI description.',
  }),
  specificationTemplateName: setting({
    name: 'HEADLESS_SPECIFICATION_TEMPLATE_NAME',
    kind: nullable(text(200)),
    fallback: 'headless/spec/redoc_cdn.html',
    about: 'Template of the page of the description; null: no page.',
  }),
  tokenStrategy: setting({
    name: 'HEADLESS_TOKEN_STRATEGY',
    kind: orDefault(strategy),
    fallback: 'session',
    about: 'What apps identify themselves with: session or jwt.',
  }),
}
