import { type Context, type Emitter, type Liquid, type Parser, Tag, type TagToken, type TopLevelToken } from 'liquidjs'
import { type Body, compileBody } from './body.ts'
import { assignVariable } from './control-tags.ts'
import { hiddenInput, Markup, type OutputFormat, redirectField, toText, translateText } from './markup.ts'
import { callHostFunction, createEmitter, getRenderState, isUnfinished, type Rendering } from './render-state.ts'
import { evaluateNamed, parseArguments, parseBody, type TagArguments } from './tag-parser.ts'

/** Registers `t`, `setvar`, `capture` and the tags that call the page's functions. */
export function registerValueTags(liquid: Liquid, output: OutputFormat): void {
  liquid.registerTag('t', translateTag(output))
  liquid.registerTag('setvar', captureTag(output, 'endsetvar'))
  liquid.registerTag('capture', captureTag(output, 'endcapture'))
  liquid.registerTag('load', LoadTag)
  for (const [name, value] of Object.entries(HOST_VALUES)) liquid.registerTag(name, hostTag(output, value))
}

/** Tag libraries of existing templates that have equivalents here. */
const LIBRARIES: readonly string[] = ['allauth_tags', 'allauth', 'account', 'socialaccount']

/** `load library …` and `load tag … from library`: the tags are always available, so this only checks the libraries. */
class LoadTag extends Tag {
  constructor(token: TagToken, remaining: TopLevelToken[], liquid: Liquid) {
    super(token, remaining, liquid)
    const names = token.tokenizer.remaining().trim().split(/\s+/)
    const from = names.lastIndexOf('from')
    const unknown = names.slice(from + 1).find((name) => !LIBRARIES.includes(name))
    token.tokenizer.assert(unknown === undefined, `unknown tag library "${unknown}"; known: ${LIBRARIES.join(', ')}`)
  }

  render(): void {}
}

const translateTag = (output: OutputFormat) =>
  class extends Tag {
    readonly args: TagArguments

    constructor(token: TagToken, remaining: TopLevelToken[], liquid: Liquid) {
      super(token, remaining, liquid)
      this.args = parseArguments(token, 1)
      token.tokenizer.assert(this.args.positional.length === 1, 'expected a text to translate')
    }

    render(ctx: Context, emitter: Emitter): Rendering<void> | undefined {
      const key = this.args.positional[0]?.(ctx)
      if (this.args.named.length > 0 || isUnfinished(key)) return this.finish(key, ctx, emitter)
      this.write(toText(key), {}, ctx, emitter)
      return undefined
    }

    *finish(key: unknown, ctx: Context, emitter: Emitter): Rendering<void> {
      const text = toText(yield key)
      const { values, ...named } = yield* evaluateNamed(this.args.named, ctx)
      this.write(text, { ...(isRecord(values) ? values : {}), ...named }, ctx, emitter)
    }

    write(key: string, values: Readonly<Record<string, unknown>>, ctx: Context, emitter: Emitter): void {
      const text = translateText(getRenderState(ctx).t, key, values, output)
      if (this.args.variable === null) emitter.write(output.write(text))
      else assignVariable(ctx, this.args.variable, text)
    }
  }

const captureTag = (output: OutputFormat, end: string) =>
  class extends Tag {
    readonly variable: string
    readonly body: Body

    constructor(token: TagToken, remaining: TopLevelToken[], liquid: Liquid, parser: Parser) {
      super(token, remaining, liquid)
      this.variable = token.tokenizer.readNonEmptyIdentifier()?.content ?? ''
      token.tokenizer.assert(this.variable, 'expected a variable name')
      this.body = compileBody(parseBody(token, remaining, parser, end), output)
    }

    render(ctx: Context): Rendering<void> | undefined {
      const emitter = createEmitter()
      const rest = this.body.render(ctx, emitter)
      if (rest) return this.finish(rest, emitter, ctx)
      this.store(emitter.buffer, ctx)
      return undefined
    }

    *finish(rest: Rendering<void>, emitter: Emitter, ctx: Context): Rendering<void> {
      yield rest
      this.store(emitter.buffer, ctx)
    }

    store(html: string, ctx: Context): void {
      const text = html.trim()
      assignVariable(ctx, this.variable, text === '' ? '' : output.toValue(text))
    }
  }

const hostTag = (output: OutputFormat, value: HostValue) =>
  class extends Tag {
    readonly args: TagArguments

    constructor(token: TagToken, remaining: TopLevelToken[], liquid: Liquid) {
      super(token, remaining, liquid)
      this.args = parseArguments(token, value.positional)
      const isComplete = this.args.positional.length === value.positional
      token.tokenizer.assert(isComplete, `expected ${value.positional} value`)
    }

    *render(ctx: Context, emitter: Emitter): Rendering<void> {
      const subject = yield this.args.positional[0]?.(ctx)
      const named = yield* evaluateNamed(this.args.named, ctx)
      const result = yield value.read(ctx, subject, named, this.args.variable !== null)
      if (this.args.variable === null) emitter.write(output.write(result))
      else assignVariable(ctx, this.args.variable, result)
    }
  }

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Markup)

/** A tag that calls the page's functions, and writes the result or assigns it to a variable. */
interface HostValue {
  /** Number of values without a name. */
  readonly positional: 0 | 1
  /** Returns the value, a promise of it, or a LiquidJS generator. */
  read(ctx: Context, subject: unknown, named: Readonly<Record<string, unknown>>, toVariable: boolean): unknown
}

/** The tags by name; see the package's `templates/README.md`. */
const HOST_VALUES: Readonly<Record<string, HostValue>> = {
  url: {
    positional: 1,
    read: (ctx, name, params, toVariable) =>
      toVariable ? findUrl(ctx, toText(name), params) : buildUrl(ctx, toText(name), params),
  },
  asset: { positional: 1, read: (ctx, file) => callHostFunction(ctx, 'asset', toText(file)) },
  csrf_token: { positional: 0, read: csrfField },
  redirect_field: { positional: 0, read: (ctx) => redirectField(getRenderState(ctx).values) },
  user_display: {
    positional: 1,
    read: (ctx, user) => callOptional(ctx, 'user_display', () => displayName(user), user),
  },
  user_verified: { positional: 1, read: (ctx, user) => (user ? callHostFunction(ctx, 'user_verified', user) : false) },
  provider_login_url: {
    positional: 1,
    read: (ctx, provider, named) =>
      callOptional(ctx, 'provider_login_url', () => '', provider, loginArguments(ctx, named)),
  },
  socialaccount_providers: { positional: 0, read: (ctx) => callOptional(ctx, 'get_providers', () => []) },
  get_providers: { positional: 0, read: (ctx) => callOptional(ctx, 'get_providers', () => []) },
  get_social_accounts: {
    positional: 1,
    read: (ctx, user) => callOptional(ctx, 'get_social_accounts', () => ({}), user),
  },
  providers_media_js: { positional: 0, read: (ctx) => callOptional(ctx, 'providers_media_js', () => '') },
}

function callOptional(ctx: Context, name: string, fallback: () => unknown, ...args: readonly unknown[]): unknown {
  return getRenderState(ctx).functions.has(name) ? callHostFunction(ctx, name, ...args) : fallback()
}

/** Returns the URL of a page, or an empty text if the page isn't mounted. */
function* findUrl(ctx: Context, page: string, params: Readonly<Record<string, unknown>>): Rendering {
  const isKnown = yield callOptional(ctx, 'has', () => true, page)
  return isKnown === true ? yield buildUrl(ctx, page, params) : ''
}

function buildUrl(ctx: Context, page: string, params: Readonly<Record<string, unknown>>): unknown {
  return callHostFunction(ctx, 'url', page, toNonEmptyTexts(params))
}

function* csrfField(ctx: Context): Rendering<Markup> {
  const { values } = getRenderState(ctx)
  const token = yield callOptional(ctx, 'csrf_token', () => values['csrf_token'])
  if (typeof token !== 'string' || token === '') throw new Error("The page's context has no CSRF token.")
  return hiddenInput('csrfmiddlewaretoken', token)
}

/** Converts arguments to text, without the empty ones. */
const toNonEmptyTexts = (named: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(named)
      .map(([name, value]): [string, string] => [name, toText(value)])
      .filter(([, value]) => value !== ''),
  )

/** Adds the page's `next` if none is set; `process="redirect"` returns to the page itself. */
function loginArguments(ctx: Context, named: Readonly<Record<string, unknown>>): Record<string, string> {
  const { values } = getRenderState(ctx)
  const { next: given, ...rest } = toNonEmptyTexts(named)
  const request = values['request']
  const path = typeof request === 'object' && request !== null && 'path' in request ? toText(request.path) : ''
  const next = given ?? (rest['process'] === 'redirect' ? path : toText(values['redirect_field_value']))
  return next === '' ? rest : { ...rest, next }
}

function displayName(user: unknown): string {
  if (typeof user !== 'object' || user === null) return ''
  if ('username' in user && user.username !== '') return toText(user.username)
  return 'email' in user ? toText(user.email) : ''
}
