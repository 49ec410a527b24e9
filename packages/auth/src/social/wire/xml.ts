/** An element of a document, with its local name and namespace. */
export interface XmlElement {
  /** Local name. */
  readonly name: string
  readonly namespace: string
  /** Attributes without a namespace, by name. */
  readonly attributes: ReadonlyMap<string, string>
  readonly children: readonly XmlElement[]
  /** Text directly inside, joined; comments don't split it. */
  readonly text: string
}

/** The document isn't well-formed, or exceeds a limit. */
export class XmlError extends Error {
  override readonly name = 'XmlError'
}

interface Open {
  readonly tag: string
  readonly name: string
  readonly namespace: string
  readonly attributes: ReadonlyMap<string, string>
  readonly children: Open[]
  text: string
  readonly scope: Scope
}

/** The prefixes bound by an element, and those bound by the elements around it. */
interface Scope {
  readonly own: ReadonlyMap<string, string>
  readonly outer: Scope | null
}

const NONE: ReadonlyMap<string, string> = new Map()
const OUTERMOST: Scope = { own: NONE, outer: null }
const MAX_LENGTH = 1_048_576
const MAX_DEPTH = 64
const MAX_ELEMENTS = 20_000
/** Limited because the library copies all bindings at each element that adds one. */
const MAX_BINDINGS = 1_000
const MAX_ATTRIBUTES = 200
const NAME = /[A-Za-z_][\w.-]*(?::[A-Za-z_][\w.-]*)?/.source
const PIECE = new RegExp(
  [
    '<!--(?:(?!--)[^])*-->',
    '<!\\[CDATA\\[((?:(?!\\]\\]>)[^])*)\\]\\]>',
    '<\\?(?:(?!\\?>)[^])*\\?>',
    `</(${NAME})\\s*>`,
    `<(${NAME})((?:\\s+${NAME}\\s*=\\s*(?:"[^"<]*"|'[^'<]*'))*)\\s*(/?)>`,
    '([^<]+)',
  ].join('|'),
  'y',
)
const ATTRIBUTE = new RegExp(`(${NAME})\\s*=\\s*(?:"([^"]*)"|'([^']*)')`, 'g')
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/**
 * Parses an untrusted document. Refuses DTDs, so that only the five predefined entities exist. Loads nothing.
 * @throws {XmlError}
 * @see Extensible Markup Language (XML) 1.0; Namespaces in XML 1.0
 */
export function readXml(text: string): XmlElement {
  if (text.length > MAX_LENGTH) throw new XmlError('too large')
  const document: Open = {
    tag: '',
    name: '',
    namespace: '',
    attributes: NONE,
    children: [],
    text: '',
    scope: OUTERMOST,
  }
  const open: Open[] = [document]
  let count = 0
  let bindings = 0
  PIECE.lastIndex = text.startsWith('\uFEFF') ? 1 : 0
  while (PIECE.lastIndex < text.length) {
    const piece = PIECE.exec(text)
    const parent = open.at(-1)
    if (piece === null || parent === undefined) throw new XmlError('not well-formed')
    const [, literal, closing, opening, attributes = '', empty, plain] = piece
    if (closing !== undefined) {
      if (open.pop()?.tag !== closing || open.length === 0) throw new XmlError('a tag is closed that is not open')
    } else if (opening !== undefined) {
      if (++count > MAX_ELEMENTS || open.length > MAX_DEPTH) throw new XmlError('too much')
      const element = parseElement(opening, attributes, parent.scope)
      bindings += element.scope === parent.scope ? 0 : element.scope.own.size
      if (bindings > MAX_BINDINGS) throw new XmlError('too much')
      parent.children.push(element)
      if (empty === '') open.push(element)
    } else {
      parent.text += literal ?? (plain === undefined ? '' : decodeXmlText(plain))
    }
  }
  const [root, ...others] = document.children
  if (open.length !== 1 || root === undefined || others.length > 0 || document.text.trim() !== '') {
    throw new XmlError('there must be one element, which is closed')
  }
  return root
}

function parseQName(tag: string, scope: Scope): Pick<XmlElement, 'name' | 'namespace'> {
  const [prefix = '', local = ''] = tag.includes(':') ? tag.split(':', 2) : ['', tag]
  const namespace = prefix === 'xml' ? 'http://www.w3.org/XML/1998/namespace' : resolvePrefix(prefix, scope)
  if (namespace === undefined && prefix !== '') throw new XmlError('a prefix is not bound')
  return { name: local, namespace: namespace ?? '' }
}

function resolvePrefix(prefix: string, scope: Scope): string | undefined {
  for (let around: Scope | null = scope; around !== null; around = around.outer) {
    const namespace = around.own.get(prefix)
    if (namespace !== undefined) return namespace
  }
  return undefined
}

function parseElement(tag: string, written: string, outer: Scope): Open {
  const own = new Map<string, string>()
  const attributes = new Map<string, string>()
  const seen = new Set<string>()
  for (const [, name = '', double, single] of written.matchAll(ATTRIBUTE)) {
    if (seen.has(name) || seen.size >= MAX_ATTRIBUTES) throw new XmlError('an attribute stands twice, or too many do')
    seen.add(name)
    const value = decodeXmlText(double ?? single ?? '').replaceAll(/[\t\n\r]/g, ' ')
    if (name === 'xmlns') own.set('', value)
    else if (name.startsWith('xmlns:')) own.set(name.slice(6), value)
    else if (!name.includes(':')) attributes.set(name, value)
  }
  const scope = own.size === 0 ? outer : { own, outer }
  return { tag, ...parseQName(tag, scope), attributes, children: [], text: '', scope }
}

function decodeXmlText(text: string): string {
  if (text.includes(']]>')) throw new XmlError('not well-formed')
  return text.replaceAll('\r\n', '\n').replaceAll(/&([^;&]*)(;?)/g, (_whole, name: string, end: string) => {
    const code = end === '' ? null : /^#(?:x([\dA-Fa-f]{1,6})|(\d{1,7}))$/.exec(name)
    if (code !== null) return toXmlCharacter(code[1] === undefined ? Number(code[2]) : Number.parseInt(code[1], 16))
    if (end === '' || !Object.hasOwn(ENTITIES, name)) throw new XmlError('an entity is not known')
    return ENTITIES[name] ?? ''
  })
}

function toXmlCharacter(code: number): string {
  if (code === 0 || code > 0x10_ff_ff || (code >= 0xd8_00 && code <= 0xdf_ff)) throw new XmlError('no such character')
  return String.fromCodePoint(code)
}

/** Returns all descendants with this name, in document order. */
export function findElements(within: XmlElement, namespace: string, name: string): readonly XmlElement[] {
  return within.children.flatMap((child) => [
    ...(child.name === name && child.namespace === namespace ? [child] : []),
    ...findElements(child, namespace, name),
  ])
}

/** Returns the children with this name. */
export const findChildren = (within: XmlElement, namespace: string, name: string): readonly XmlElement[] =>
  within.children.filter((child) => child.name === name && child.namespace === namespace)

/** Escapes text for an element or attribute. */
export const escapeXml = (text: string): string =>
  text.replaceAll(/[&<>"'\r\n\t]/g, (char) => `&#${char.charCodeAt(0)};`)
