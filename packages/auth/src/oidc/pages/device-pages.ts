import type { Oidc, PendingDevice } from '../oidc.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { listRequiredMethods } from '../../account/reauthentication/reauthentication.ts'
import { requireSignedIn } from '../../account/refusals.ts'
import type { InputError } from '../../errors.ts'
import type { BoundField, BoundForm } from '../../kernel/forms/form.ts'
import { withNext } from '../../kernel/http/redirects.ts'
import type { PageAnswer, PageRoute } from '../../kernel/http/route.ts'
import type { Visit } from '../../kernel/visit.ts'
import { describeScope } from '../hooks.ts'
import { deviceName } from '../../kernel/http/request-headers.ts'

const PAGE = 'idp_oidc_device_authorization'
/** Session entry of a code that the user typed, while the user reauthenticates. */
const TYPED_KEY = 'idp_oidc_device_code'
/** In characters. Longer than any code. */
const LONGEST_CODE = 100

/** Returns the page where users enter a device's code and allow or deny the device (RFC 8628 section 3.3). */
export const devicePages = (oidc: Oidc): readonly PageRoute[] => [
  {
    name: PAGE,
    path: oidc.paths.device,
    access: 'auth',
    withoutPages: true,
    GET: (request) => {
      const linked = request.url.searchParams.get('code')
      if (linked !== null) return withPendingDevice(oidc, request, linked, confirmLinkedPage)
      const typed = request.session.get(TYPED_KEY)
      return typeof typed === 'string'
        ? withPendingDevice(oidc, request, typed, confirmPage)
        : Promise.resolve(codePage(oidc.kernel, ''))
    },
    POST: (request) =>
      withPendingDevice(
        oidc,
        request,
        request.form.get('code') ?? '',
        request.form.has('action') ? decide : confirmPage,
      ),
  },
]

/** Runs `work` for the device with a code. Every lookup counts toward the rate limit, to prevent guessing. */
async function withPendingDevice(
  oidc: Oidc,
  request: Visit,
  given: string,
  work: (oidc: Oidc, request: Visit, device: PendingDevice) => PageAnswer | Promise<PageAnswer>,
): Promise<PageAnswer> {
  const code = given.trim()
  const refused = (error: string): PageAnswer =>
    codePage(oidc.kernel, code.slice(0, LONGEST_CODE), [oidc.account.adapter.validationError(error, { param: 'code' })])
  request.session.delete(TYPED_KEY)
  if (code === '') return refused('required')
  const taken = await oidc.kernel.limits.take('device_user_code', { ip: request.clientIp }, request.nowMs)
  if (!taken.allowed) return refused('rate_limited')
  if (code.length > LONGEST_CODE) return refused('incorrect_code')
  const device = await (await oidc.engine()).device(request, code)
  return device === null ? refused('incorrect_code') : work(oidc, request, device)
}

/** Records the decision. Any action other than `confirm` denies the device. */
async function decide(oidc: Oidc, request: Visit, device: PendingDevice): Promise<PageAnswer> {
  const isGranted = request.form.get('action') === 'confirm'
  const engine = await oidc.engine()
  const user = requireSignedIn(request)
  const reauthentication = isGranted ? await requireReauthentication(oidc, request, device) : null
  if (reauthentication !== null) return reauthentication
  const isFirst = await engine.decideDevice(request, device.userCode, user, isGranted)
  if (!isFirst) {
    return codePage(oidc.kernel, device.userCode, [
      oidc.account.adapter.validationError('incorrect_code', { param: 'code' }),
    ])
  }
  const { client, scopes } = device
  if (isGranted) await oidc.signals.emit('client_allowed', 'OidcClient', { request, user, client, scopes })
  return {
    kind: 'page',
    template: `idp/oidc/device_authorization_${isGranted ? 'confirmed' : 'denied'}`,
    context: toDeviceContext(device),
  }
}

const toDeviceContext = ({ userCode, client }: PendingDevice): Readonly<Record<string, unknown>> => ({
  user_code: userCode,
  client: { id: client.id, name: client.name },
})

/** Redirects to reauthentication if the device's scopes require it. The user then continues with the same code. */
async function requireReauthentication(
  oidc: Oidc,
  request: Visit,
  { isSensitive, userCode }: PendingDevice,
): Promise<PageAnswer | null> {
  if (!isSensitive) return null
  const [method] = await listRequiredMethods(oidc.account, request, requireSignedIn(request))
  if (method === undefined) return null
  request.session.set(TYPED_KEY, userCode)
  return { kind: 'redirect', to: withNext(method.url, oidc.paths.device) }
}

/** Shows the device of a link, or the page where its code must be typed. */
const confirmLinkedPage = (oidc: Oidc, request: Visit, device: PendingDevice): PageAnswer | Promise<PageAnswer> =>
  device.mustTypeCode ? codePage(oidc.kernel, '') : confirmPage(oidc, request, device)

async function confirmPage(oidc: Oidc, request: Visit, device: PendingDevice): Promise<PageAnswer> {
  const reauthentication = await requireReauthentication(oidc, request, device)
  if (reauthentication !== null) return reauthentication
  const { scopes, userCode } = device
  const { ip, userAgent } = device.device
  return {
    kind: 'page',
    template: 'idp/oidc/device_authorization_confirm_form',
    context: {
      ...toDeviceContext(device),
      autorization_url: `${oidc.kernel.url(PAGE)}?${new URLSearchParams({ code: userCode }).toString()}`,
      scopes: scopes.map((scope) => describeScope(oidc.adapter, scope)),
      device: { ip, name: userAgent === null ? null : deviceName(userAgent, request.t) },
    },
  }
}

function codePage(kernel: Kernel, code: string, errors: readonly InputError[] = []): PageAnswer {
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
    context: { form, autorization_url: kernel.url(PAGE) },
    form,
  }
}
