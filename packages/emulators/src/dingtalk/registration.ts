import type { ScanAct } from '../kit/control.ts'
import { type ApiCall, oldApiReply, type Reply } from './call.ts'
import { DingtalkFailure } from './faults.ts'
import type { DingtalkState, Registration } from './state.ts'

/** Handles `POST /app/registration/init`. */
export function initRegistration({ state, fields }: ApiCall): Reply {
  if (typeof fields['source'] !== 'string' || fields['source'] === '') throw new DingtalkFailure(40035, 'source')
  state.registration = {
    nonce: state.nextId('nonce'),
    deviceCode: state.nextId('device'),
    userCode: state.nextId('CODE-'),
    untilMs: 0,
    hasBegun: false,
    isScanned: false,
    status: 'WAITING',
  }
  return oldApiReply({ nonce: state.registration.nonce, expires_in: state.times.registrationLifeMs / 1000 })
}

/** Handles `POST /app/registration/begin`. A nonce can be used once. */
export function beginRegistration({ state, fields }: ApiCall): Reply {
  const { registration, url, times } = state
  const isKnown = registration !== null && registration.nonce === fields['nonce'] && !registration.hasBegun
  if (!isKnown) throw new DingtalkFailure(40035, 'nonce')
  registration.hasBegun = true
  registration.untilMs = state.clock.now() + times.registrationLifeMs
  const { deviceCode, userCode } = registration
  return oldApiReply({
    device_code: deviceCode,
    user_code: userCode,
    verification_uri: `${url}/device`,
    verification_uri_complete: `${url}/device?user_code=${userCode}`,
    expires_in: times.registrationLifeMs / 1000,
    interval: times.pollSeconds,
  })
}

/** Handles `POST /app/registration/poll`. */
export function pollRegistration({ state, fields }: ApiCall): Reply {
  const { registration, bot } = state
  if (registration?.hasBegun !== true || registration.deviceCode !== fields['device_code']) {
    throw new DingtalkFailure(40035, 'device_code')
  }
  if (state.faults.take('registration.poll', undefined, ({ kind }) => kind === 'registration_fail')) {
    return oldApiReply({ status: 'FAIL', fail_reason: 'system busy' })
  }
  expireIfOld(state, registration)
  const { status } = registration
  if (status === 'SUCCESS') return oldApiReply({ status, client_id: bot.id, client_secret: bot.secret })
  return oldApiReply({ status, ...(status === 'FAIL' && { fail_reason: 'refused by user' }) })
}

/** Returns the page that the QR code opens on a phone. */
export function devicePage(): Reply {
  const body = '<!doctype html><title>DingTalk</title><p>Create new robot</p>'
  return { status: 200, headers: { 'content-type': 'text/html; charset=utf-8' }, body }
}

/** Returns the state of the pending setup code, or `null`. */
export function getSetupState({ registration, clock }: DingtalkState): 'waiting' | 'scanned' | null {
  if (registration?.hasBegun !== true || registration.status !== 'WAITING') return null
  if (registration.untilMs <= clock.now()) return null
  return registration.isScanned ? 'scanned' : 'waiting'
}

/** Performs what a person does with the code on a phone. @throws {RangeError} when it isn't possible now */
export function scan(state: DingtalkState, { act }: ScanAct): void {
  const { registration } = state
  if (registration?.hasBegun !== true) throw new RangeError('There is no pending setup code')
  expireIfOld(state, registration)
  if (registration.status !== 'WAITING') throw new RangeError('The setup code is used up or expired')
  switch (act) {
    case 'scan':
      registration.isScanned = true
      return
    case 'confirm':
      if (state.bot.revoked) state.renewSecret()
      registration.status = 'SUCCESS'
      return
    case 'refuse':
      registration.status = 'FAIL'
      return
    case 'expire':
      registration.status = 'EXPIRED'
      return
    default:
      throw new RangeError(`DingTalk doesn't support ${act}`)
  }
}

function expireIfOld(state: DingtalkState, registration: Registration): void {
  if (registration.status === 'WAITING' && registration.untilMs <= state.clock.now()) registration.status = 'EXPIRED'
}
