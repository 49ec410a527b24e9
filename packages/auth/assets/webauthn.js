/*
 * Security keys and passkeys. A data block of the page names what to ask the browser for and the form that takes its
 * answer; texts come from the page, too. A failure is told to the page by the event `allauth.error` of the document,
 * which can be cancelled, and else shown beside the button.
 * @see W3C, "Web Authentication" Level 3
 */
;(() => {
  'use strict'

  /** Challenges live for ten minutes: one that waits for autofill is renewed before. */
  const RENEW_MS = 5 * 60_000
  const JSON_HEADERS = { accept: 'application/json', 'x-requested-with': 'XMLHttpRequest' }

  const isSupported = typeof window.PublicKeyCredential === 'function' && 'credentials' in navigator

  // Keys belong to a name: to a host that was opened by its number no browser gives any.
  const { hostname } = window.location
  const isNumber = /^(\[|[\d.]+$)/.test(hostname)
  const isThisMachine = /^(127\.|\[::1\])/.test(hostname)

  // Bytes as base64url, for browsers without the JSON forms.
  const toBytes = (text) =>
    Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) => character.codePointAt(0))
  const toText = (buffer) =>
    btoa(Array.from(new Uint8Array(buffer), (byte) => String.fromCodePoint(byte)).join(''))
      .replaceAll('+', '-')
      .replaceAll('/', '_')
      .replaceAll('=', '')
  const described = (list) => (list ?? []).map((one) => ({ ...one, id: toBytes(one.id) }))

  function creationOptions(json) {
    if (typeof PublicKeyCredential.parseCreationOptionsFromJSON === 'function')
      return PublicKeyCredential.parseCreationOptionsFromJSON(json)
    return {
      ...json,
      challenge: toBytes(json.challenge),
      user: { ...json.user, id: toBytes(json.user.id) },
      excludeCredentials: described(json.excludeCredentials),
    }
  }

  function requestOptions(json) {
    if (typeof PublicKeyCredential.parseRequestOptionsFromJSON === 'function')
      return PublicKeyCredential.parseRequestOptionsFromJSON(json)
    return { ...json, challenge: toBytes(json.challenge), allowCredentials: described(json.allowCredentials) }
  }

  /** By hand where the browser, or a password manager in its place, cannot. */
  function credentialJson(credential) {
    try {
      return credential.toJSON()
    } catch {
      return writtenCredential(credential)
    }
  }

  function writtenCredential(credential) {
    const { id, rawId, type, authenticatorAttachment, response } = credential
    const written = {}
    for (const key of ['clientDataJSON', 'attestationObject', 'authenticatorData', 'signature', 'userHandle']) {
      if (response[key]) written[key] = toText(response[key])
    }
    if (typeof response.getTransports === 'function') written.transports = response.getTransports()
    const clientExtensionResults = credential.getClientExtensionResults?.() ?? {}
    return { id, rawId: toText(rawId), type, authenticatorAttachment, response: written, clientExtensionResults }
  }

  /** A passkey is kept by the device itself, and asks who the person is. */
  function asChosen(options, isPasskey) {
    const wanted = isPasskey ? 'required' : 'discouraged'
    const authenticatorSelection = {
      ...options.authenticatorSelection,
      residentKey: wanted,
      requireResidentKey: isPasskey,
      userVerification: wanted,
    }
    return { ...options, authenticatorSelection }
  }

  const create = async (json) => navigator.credentials.create({ publicKey: creationOptions(json) })
  const get = async (json, more = {}) => navigator.credentials.get({ publicKey: requestOptions(json), ...more })

  const PROBLEMS = {
    NotAllowedError: 'cancelled',
    AbortError: 'cancelled',
    InvalidStateError: 'known',
    NotSupportedError: 'unsupported',
    SecurityError: 'refused',
  }

  /** One form, and the button that sends it. */
  class Ceremony {
    constructor(block) {
      this.form = document.getElementById(block.dataset.authForm)
      this.field = this.form.elements.namedItem('credential')
      this.button =
        document.getElementById(block.dataset.authButton ?? '') ?? this.form.querySelector('button[type=submit]')
      this.data = JSON.parse(block.textContent || '{}') ?? {}
      this.problem = document.createElement('div')
      this.problem.className = 'auth-problem'
      this.button.before(this.problem)
    }

    /** Asks when the form is sent, in place of sending it without an answer. */
    onSubmit(ask) {
      this.form.addEventListener('submit', (event) => {
        if (this.field.value !== '') return
        event.preventDefault()
        if (!isSupported) this.show('unsupported')
        else if (!this.button.disabled) void this.attempt(ask)
      })
      // A page that comes back from the history has an answer in it that is used up.
      window.addEventListener('pageshow', () => {
        this.field.value = ''
        this.button.disabled = false
      })
    }

    async attempt(ask) {
      this.button.disabled = true
      this.problem.replaceChildren()
      try {
        this.send(await ask())
      } catch (exception) {
        this.button.disabled = false
        this.fail(exception)
        this.button.focus()
      }
    }

    send(credential) {
      this.field.value = JSON.stringify(credentialJson(credential))
      this.form.submit()
    }

    /** Tells the page. @returns whether the person is to be told, too */
    tell(exception) {
      const detail = { tags: ['mfa', 'webauthn'], exception }
      return document.dispatchEvent(new CustomEvent('allauth.error', { detail, cancelable: true }))
    }

    fail(exception) {
      if (this.tell(exception)) this.show(PROBLEMS[exception?.name] ?? 'failed')
    }

    /** In place of a button that could not work, says where it would. */
    refuse() {
      const template = document.getElementById('webauthn_elsewhere')
      this.button.disabled = true
      if (template === null) return
      const told = template.content.cloneNode(true)
      const link = told.querySelector('a')
      if (isThisMachine) link.textContent = link.href = window.location.href.replace(hostname, 'localhost')
      this.problem.replaceChildren(told)
    }

    show(name) {
      const template = document.getElementById('webauthn_problem')
      if (template === null) return
      const alert = template.content.cloneNode(true)
      const text = template.dataset[name] ?? template.dataset.failed
      ;(alert.querySelector('span') ?? alert).textContent = text
      this.problem.replaceChildren(alert)
    }
  }

  /** Options for whoever has a passkey of this site. */
  async function freshRequest(form) {
    const response = await fetch(form.action, { headers: JSON_HEADERS })
    const { request_options: options, location } = response.ok ? await response.json() : {}
    if (options) return options.publicKey
    if (location) window.location.assign(location)
    throw new Error('The server offers no sign-in by passkey now.')
  }

  function login(ceremony) {
    let waiting = null
    let renew = () => {}
    ceremony.onSubmit(async () => {
      waiting?.abort()
      try {
        return await get(await freshRequest(ceremony.form))
      } catch (exception) {
        renew()
        throw exception
      }
    })
    const input = document.querySelector('input[autocomplete~=webauthn]')
    if (input === null || typeof window.PublicKeyCredential?.isConditionalMediationAvailable !== 'function') return

    /** Passkeys among what the browser offers to fill in; nothing is shown when none is chosen. */
    async function offer() {
      waiting?.abort()
      const own = (waiting = new AbortController())
      const renewal = setTimeout(() => void offer(), RENEW_MS)
      try {
        const json = await freshRequest(ceremony.form)
        if (own.signal.aborted) return
        ceremony.send(await get(json, { mediation: 'conditional', signal: own.signal }))
      } catch (exception) {
        // Nobody has asked for it: the button is there, and says what is wrong.
        if (!own.signal.aborted) ceremony.tell(exception)
      } finally {
        if (own.signal.aborted || waiting === own) clearTimeout(renewal)
      }
    }
    PublicKeyCredential.isConditionalMediationAvailable().then(
      (isAvailable) => {
        if (!isAvailable) return
        renew = () => void offer()
        renew()
      },
      () => {}, // no autofill: the button is there
    )
  }

  const STARTS = {
    'webauthn.add': (ceremony) =>
      ceremony.onSubmit(() => {
        const isPasskey = ceremony.form.elements.namedItem('passwordless')?.checked ?? false
        return create(asChosen(ceremony.data.creation_options.publicKey, isPasskey))
      }),
    'webauthn.signup': (ceremony) => ceremony.onSubmit(() => create(ceremony.data.creation_options.publicKey)),
    'webauthn.authenticate': (ceremony) => ceremony.onSubmit(() => get(ceremony.data.request_options.publicKey)),
    'webauthn.login': login,
  }

  for (const block of document.querySelectorAll('script[data-auth-start]')) {
    const ceremony = new Ceremony(block)
    if (isNumber) ceremony.refuse()
    else STARTS[block.dataset.authStart]?.(ceremony)
  }
})()
