import { control } from './control.js'
import { avatar, base64Of, make } from './parts.js'
import { drawSetup } from './setup.js'
import { drawTranscript, forgetTranscript } from './transcript.js'

const GROUP = { id: 'harbour', title: 'Harbour office' }
const PEOPLE = [
  { id: 'ann', name: 'Ann' },
  { id: 'milo', name: 'Milo' },
  { id: 'yuki', name: 'Yuki' },
]
const REFRESH_MS = 500
/** Messages of a chat that are shown. */
const LINES = 200
/** Lasting faults that end what is open, too. */
const CUTS = new Set(['drop_before', 'drop_after', 'bad_gateway'])
/** Longest file that is sent, bytes. */
const FILE_LIMIT = 20 * 1024 * 1024

const byId = (id) => document.getElementById(id)
const asked = new URLSearchParams(location.search).get('user')
if (asked && !PEOPLE.some(({ id }) => id === asked)) PEOPLE.push({ id: asked, name: asked })

const state = { bot: { name: 'Bot' }, person: PEOPLE.find(({ id }) => id === asked) ?? PEOPLE[0], inGroup: false }
/** What the emulator says of its platform. */
let info = { groups: false, acts: [] }
/** Files that this page sent, by message. */
const ownFiles = new Map()
let about = null
let lastRequest = 0
let switches = []

/** As this page names it. The emulator may have an id of its own for it, which it says when somebody writes. */
const chatName = () => (state.inGroup ? GROUP.id : state.person.id)
const ownIds = new Map()

function drawPeople() {
  const entries = PEOPLE.map((person) => ({ person, inGroup: false, name: person.name, note: 'direct chat' }))
  for (const person of info.groups ? PEOPLE.slice(0, 2) : []) {
    entries.push({ person, inGroup: true, name: GROUP.title, note: `group, as ${person.name}` })
  }
  byId('people').replaceChildren(
    ...entries.map(({ person, inGroup, name, note }) => {
      const words = make('span', 'words', make('strong', '', name), make('small', '', note))
      const button = make('button', 'person', avatar(name, inGroup ? 0 : PEOPLE.indexOf(person) + 1), words)
      button.type = 'button'
      if (person === state.person && inGroup === state.inGroup) button.setAttribute('aria-current', 'true')
      button.addEventListener('click', () => choose(person, inGroup))
      return button
    }),
  )
}

function choose(person, inGroup) {
  leaveAbout()
  Object.assign(state, { person, inGroup })
  forgetTranscript()
  drawPeople()
  drawMention()
  void refresh()
  byId('text').focus()
}

function drawMention() {
  byId('mention').hidden = !state.inGroup
  byId('mention').textContent = `@${state.bot.name}`
  byId('mention').title = 'Whether the message speaks to the bot'
}

async function refresh() {
  const chat = chatName()
  const [bot, lines, typing, faults, events, requests] = await Promise.all([
    control('bot'),
    control('conversation', { chatId: chat, limit: LINES }),
    control('typing'),
    control('faults'),
    control('events'),
    control('requests', { afterSequence: lastRequest }),
  ])
  const details = await detailsOf(lines)
  if (chat !== chatName()) return
  state.bot = bot
  drawFacts(bot, events, typing)
  drawMention()
  drawSwitches(faults)
  const parts = { box: byId('setup'), words: byId('setup-words'), acts: byId('setup-acts') }
  drawSetup(parts, bot.setup ?? null, info.acts, state.person.name, (act) => attempt(() => scan(act)))
  drawTranscript(byId('messages'), lines, {
    me: state.person.name,
    inGroup: state.inGroup,
    details,
    ownFiles,
    answer: beginAnswer,
  })
  drawRequests(requests)
}

let known = { words: '', details: new Map() }

/** What messages answer and what is in their files, by id. Files are long: asked for only when the chat changed. */
async function detailsOf(lines) {
  const words = JSON.stringify([chatName(), lines])
  if (words === known.words) return known.details
  const detailed = await control('conversation', { chatId: chatName(), limit: LINES, details: true })
  known = { words, details: new Map(detailed.map((line) => [line.messageId, line])) }
  return known.details
}

function drawFacts(bot, events, typing) {
  byId('connected').textContent = bot.connected ? 'yes' : 'no'
  byId('connected').dataset.on = String(bot.connected)
  const unconfirmed = events.filter(({ confirmedAtMs }) => confirmedAtMs === null).length
  byId('unconfirmed').textContent = String(unconfirmed)
  const isTyping = typing.some((sign) => sign.chatId === (ownIds.get(chatName()) ?? chatName()))
  const title = state.inGroup ? GROUP.title : bot.name
  byId('title').textContent = title
  byId('avatar').textContent = title.slice(0, 1)
  byId('status').dataset.typing = String(isTyping)
  const words = isTyping ? 'typing' : bot.connected ? 'connected' : 'not connected'
  byId('status').textContent = state.inGroup && !isTyping ? `with ${bot.name}, ${words}` : words
}

/** Whether a fault that is there is the one of a switch: what neither says stands for once, in every call. */
function isOf(spec, wanted) {
  const all = { times: 1, method: '*', ...spec }
  return Object.entries({ times: 1, method: '*', ...wanted }).every(
    ([key, value]) => JSON.stringify(all[key]) === JSON.stringify(value),
  )
}

let drawnSwitches = ''

function drawSwitches(faults) {
  const now = JSON.stringify(faults)
  if (now === drawnSwitches) return // a button that is being pressed must stay
  drawnSwitches = now
  const rows = switches.map(({ label, hint, fault, lasting }) => {
    const whole = lasting ? { times: null, ...fault } : fault
    const active = faults.find(({ spec }) => isOf(spec, whole))
    const button = make('button', 'switch', make('span', '', label), make('small', '', hint))
    button.type = 'button'
    button.setAttribute('aria-pressed', String(active !== undefined))
    button.addEventListener('click', () =>
      attempt(async () => {
        if (active) return control('clearFaults', { id: active.id })
        await control('injectFault', whole)
        if (lasting && CUTS.has(fault.kind)) await control('dropConnections')
      }),
    )
    return button
  })
  const focused = [...byId('switches').children].indexOf(document.activeElement)
  byId('switches').replaceChildren(...rows)
  rows[focused]?.focus()
}

function drawRequests(requests) {
  for (const { sequence, atMs, method, status } of requests) {
    if (sequence <= lastRequest) continue // another refresh has drawn it
    lastRequest = sequence
    const time = new Date(atMs).toLocaleTimeString([], { hour12: false })
    const result = status === 0 ? '' : status < 300 ? '' : ` ${status}`
    const item = make('li', '', make('time', '', time), make('code', '', `${method}${result}`))
    item.dataset.failed = String(status >= 300)
    byId('log').prepend(item)
  }
  while (byId('log').children.length > 40) byId('log').lastChild.remove()
}

function beginAnswer(id, text) {
  about = { id }
  byId('about').hidden = false
  byId('about-text').textContent = text.slice(0, 100)
  byId('text').focus()
}

function leaveAbout() {
  about = null
  byId('about').hidden = true
}

const scan = (act) => control('scan', act === 'confirm' ? { act, userId: state.person.id } : { act })

async function attempt(act) {
  try {
    await act()
    byId('problem').hidden = true
    await refresh()
  } catch (error) {
    byId('problem').textContent = error.message
    byId('problem').hidden = false
  }
}

async function send() {
  const box = byId('text')
  const chosen = byId('file').files[0]
  const text = box.value.trim()
  if (!chosen && text === '') return
  if (chosen && chosen.size > FILE_LIMIT) throw new Error('The file is larger than 20 MB')
  const base64 = chosen && (await base64Of(chosen))
  const kind = chosen && /^image\/(?:png|jpeg|gif|webp)$/.test(chosen.type) ? 'image' : 'file'
  const said = await control('say', {
    from: state.person,
    ...(state.inGroup && { group: GROUP, mention: byId('mention').getAttribute('aria-pressed') === 'true' }),
    ...(about && { replyTo: about.id }),
    ...(text !== '' && { text }),
    ...(chosen && { file: { kind, base64, name: chosen.name, mimeType: chosen.type } }),
  })
  ownIds.set(chatName(), said.chatId)
  if (chosen) ownFiles.set(said.messageId, [{ name: chosen.name, size: chosen.size, base64 }])
  box.value = ''
  byId('file').value = ''
  leaveAbout()
  showAttachment()
}

function showAttachment() {
  const file = byId('file').files[0]
  byId('text').placeholder = file ? `Caption for ${file.name}` : 'Message'
  byId('composer').dataset.attached = String(Boolean(file))
}

byId('composer').addEventListener('submit', (event) => {
  event.preventDefault()
  void attempt(send)
})
byId('text').addEventListener('keydown', (event) => {
  if (event.key === 'Escape') return leaveAbout()
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
  event.preventDefault()
  byId('composer').requestSubmit()
})
byId('file').addEventListener('change', showAttachment)
byId('about-stop').addEventListener('click', leaveAbout)
byId('mention').addEventListener('click', ({ currentTarget }) => {
  const isOn = currentTarget.getAttribute('aria-pressed') === 'true'
  currentTarget.setAttribute('aria-pressed', String(!isOn))
})

info = await (await fetch('/demo/page.json')).json()
document.documentElement.dataset.platform = info.platform
document.title = `${info.label} emulator`
byId('platform').textContent = info.label
byId('confirming').hidden = info.confirms === false
switches = await control('switches')
const [newest] = (await control('requests')).slice(-30)
lastRequest = (newest?.sequence ?? 1) - 1
drawPeople()
byId('text').focus()
for (;;) {
  try {
    if (!document.hidden) await refresh()
  } catch {
    byId('status').textContent = 'connection to the emulator lost, trying again'
  }
  await new Promise((resolve) => setTimeout(resolve, REFRESH_MS))
}
