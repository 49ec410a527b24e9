import { signedIn } from '../../account/signed-in.ts'
import type { Core } from '../../core.ts'
import type { InputError } from '../../errors.ts'
import type { BoundField, BoundForm } from '../../kernel/forms/form.ts'
import type { PageAnswer } from '../../kernel/http/answer.ts'
import type { PageRoute } from '../../kernel/http/route.ts'
import type { Visit } from '../../kernel/visit.ts'
import { deviceName } from '../../sessions/device-name.ts'
import type { PendingDevice } from '../oidc.ts'

const PAGE = 'idp_oidc_device_authorization'
/** Characters. Longer than any code. */
const LONGEST_CODE = 100

/** Where a person types the code that a device shows, sees who asks, and allows or refuses it (RFC 8628 section 3.3). */
export const devicePages = (core: Core): readonly PageRoute[] => [
  {
    name: PAGE,
    path: core.oidc.paths.device,
    access: 'auth',
    withoutPages: true,
    GET: (request) => {
      const code = request.url.searchParams.get('code')
      return code === null ? Promise.resolve(codePage(core, '')) : withDevice(core, request, code, confirmPage)
    },
    POST: (request) => {
      const code = request.form.get('code') ?? request.url.searchParams.get('code') ?? ''
      return withDevice(core, request, code, request.form.has('action') ? decide : confirmPage)
    },
  },
]

/** Runs `work` for the device of a code. Each code that is looked up counts, or people would guess them. */
async function withDevice(
  core: Core,
  request: Visit,
  given: string,
  work: (core: Core, request: Visit, device: PendingDevice) => PageAnswer | Promise<PageAnswer>,
): Promise<PageAnswer> {
  const code = given.trim()
  const refused = (error: string): PageAnswer =>
    codePage(core, code.slice(0, LONGEST_CODE), [core.adapter.validationError(error, { param: 'code' })])
  if (code === '') return refused('required')
  const taken = await core.limits.take('device_user_code', { ip: request.clientIp }, request.nowMs)
  if (!taken.allowed) return refused('rate_limited')
  if (code.length > LONGEST_CODE) return refused('incorrect_code')
  const device = await (await core.oidc.engine()).device(request, code)
  return device === null ? refused('incorrect_code') : work(core, request, device)
}

/** Everything but the word itself is no. */
async function decide(core: Core, request: Visit, device: PendingDevice): Promise<PageAnswer> {
  const isGranted = request.form.get('action') === 'confirm'
  const engine = await core.oidc.engine()
  const user = signedIn(request)
  const isFirst = await engine.decideDevice(request, device.userCode, user, isGranted)
  if (!isFirst) {
    return codePage(core, device.userCode, [core.adapter.validationError('incorrect_code', { param: 'code' })])
  }
  const { client, scopes } = device
  if (isGranted) await core.signals.emit('client_allowed', 'OidcClient', { request, user, client, scopes })
  return {
    kind: 'page',
    template: `idp/oidc/device_authorization_${isGranted ? 'confirmed' : 'denied'}`,
    context: shown(device),
  }
}

const shown = ({ userCode, client }: PendingDevice): Readonly<Record<string, unknown>> => ({
  user_code: userCode,
  client: { id: client.id, name: client.name },
})

function confirmPage(core: Core, request: Visit, device: PendingDevice): PageAnswer {
  const { scopes, userCode } = device
  const { scopeDisplay } = core.oidc.adapter
  const { ip, userAgent } = device.device
  return {
    kind: 'page',
    template: 'idp/oidc/device_authorization_confirm_form',
    context: {
      ...shown(device),
      autorization_url: `${core.url(PAGE)}?${new URLSearchParams({ code: userCode }).toString()}`,
      scopes: scopes.map((scope) => (Object.hasOwn(scopeDisplay, scope) ? (scopeDisplay[scope] ?? scope) : scope)),
      device: { ip, name: userAgent === null ? null : deviceName(userAgent, request.t) },
    },
  }
}

function codePage(core: Core, code: string, errors: readonly InputError[] = []): PageAnswer {
  const field: BoundField = {
    name: 'code',
    id: 'id_code',
    label: 'Code',
    type: 'text',
    required: true,
    autocomplete: 'one-time-code',
    autofocus: true,
    value: code,
    errors,
  }
  const form: BoundForm = { fields: [field], errors: [] }
  return {
    kind: 'page',
    template: 'idp/oidc/device_authorization_code_form',
    context: { form, autorization_url: core.url(PAGE) },
    form,
  }
}
