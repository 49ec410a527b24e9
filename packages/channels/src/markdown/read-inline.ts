import type { MarkedToken, Token, Tokens } from 'marked'
import type { Mark } from './dialect.ts'
import type { Writer } from './writer.ts'

/** What surrounds a piece of text: the marks, and what every further line of it starts with. */
export interface Context {
  readonly marks: readonly Mark[]
  readonly indent: string
}

type Simple = Exclude<Mark['type'], 'link' | 'pre'>

/** Longer addresses are shown as text. */
const MAX_HREF = 2_048
const LINKED = /^(?:https?|mailto|tg):/i
const BLANKS = /\s/g

/** Writes inline tokens of the lexer to `out`, with the marks of `context` and their own. */
export function readInline(tokens: readonly Token[], context: Context, out: Writer): void {
  for (const token of tokens) readToken(token, context, out)
}

function readToken(generic: Token, context: Context, out: Writer): void {
  const token = generic as MarkedToken // without extensions the lexer makes no other tokens
  switch (token.type) {
    case 'text':
      if (token.tokens !== undefined) readInline(token.tokens, context, out)
      else write(token.escaped === true ? token.raw : decodeNamed(token.text), context, out)
      return
    case 'escape':
      return write(token.text, context, out)
    case 'br':
      return write('\n', context, out)
    case 'strong':
      return readInline(token.tokens, within(context, 'bold'), out)
    case 'em':
      return readInline(token.tokens, within(context, 'italic'), out)
    case 'del':
      return readInline(token.tokens, within(context, 'strike'), out)
    case 'codespan':
      return write(token.text, within(context, 'code'), out)
    case 'link':
      return readLink(token, context, out)
    case 'image':
      return readImage(token, context, out)
    case 'checkbox':
      return
    default:
      write(token.raw, context, out)
  }
}

function readLink(token: Tokens.Link, context: Context, out: Writer): void {
  if (token.raw.startsWith('[^')) return write(token.raw, context, out) // a footnote, not a reference
  if (token.autolink === true)
    return writeLink(token.href, true, context, (inside) => write(token.text, inside, out), out)
  const href = decodeReferences(token.href)
  const literal = decodeReferences(token.text) === href
  writeLink(href, literal, context, (inside) => readInline(token.tokens, inside, out), out)
}

function readImage(token: Tokens.Image, context: Context, out: Writer): void {
  const href = decodeReferences(token.href)
  const shown = token.text.trim() !== ''
  const content = (inside: Context): void => {
    if (shown) readInline(token.tokens, inside, out)
    else write(href, inside, out)
  }
  writeLink(href, !shown, context, content, out)
}

/** Writes `content` inside a link, or followed by the address where this address cannot be one. */
function writeLink(
  href: string,
  literal: boolean,
  context: Context,
  content: (inside: Context) => void,
  out: Writer,
): void {
  if (context.marks.some((mark) => mark.type === 'link')) return content(context)
  if (LINKED.test(href) && href.length <= MAX_HREF && URL.canParse(href)) {
    const mark: Mark = { type: 'link', href: href.replace(BLANKS, encodeURIComponent), literal }
    return content({ ...context, marks: [...context.marks, mark] })
  }
  content(context)
  if (!literal) write(` (${href})`, context, out)
}

/** The context inside one more mark; a mark that is open already, or shown by a heading, is not opened again. */
export function within(context: Context, type: Simple): Context {
  const open = context.marks.some((mark) => mark.type === type || (type === 'bold' && mark.type === 'heading'))
  return open ? context : { ...context, marks: [...context.marks, { type }] }
}

/** Writes text with the marks of `context`, every further line of it indented. */
export function write(text: string, context: Context, out: Writer): void {
  out.text(context.indent === '' ? text : text.replaceAll('\n', `\n${context.indent}`), context.marks)
}

// Names of U+00A0 to U+00FF in order, then others with their code point; the set of HTML 4.
const LATIN =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml'
const OTHERS =
  'quot=" amp=& lt=< gt=> apos=\' OElig=Œ oelig=œ Scaron=Š scaron=š Yuml=Ÿ fnof=ƒ circ=ˆ tilde=˜ Alpha=Α Beta=Β Gamma=Γ Delta=Δ Epsilon=Ε Zeta=Ζ Eta=Η Theta=Θ Iota=Ι Kappa=Κ Lambda=Λ Mu=Μ Nu=Ν Xi=Ξ Omicron=Ο Pi=Π Rho=Ρ Sigma=Σ Tau=Τ Upsilon=Υ Phi=Φ Chi=Χ Psi=Ψ Omega=Ω alpha=α beta=β gamma=γ delta=δ epsilon=ε zeta=ζ eta=η theta=θ iota=ι kappa=κ lambda=λ mu=μ nu=ν xi=ξ omicron=ο pi=π rho=ρ sigmaf=ς sigma=σ tau=τ upsilon=υ phi=φ chi=χ psi=ψ omega=ω ndash=– mdash=— lsquo=‘ rsquo=’ sbquo=‚ ldquo=“ rdquo=” bdquo=„ dagger=† Dagger=‡ bull=• hellip=… permil=‰ prime=′ Prime=″ lsaquo=‹ rsaquo=› oline=‾ frasl=⁄ euro=€ trade=™ larr=← uarr=↑ rarr=→ darr=↓ harr=↔ crarr=↵ lArr=⇐ uArr=⇑ rArr=⇒ dArr=⇓ hArr=⇔ forall=∀ part=∂ exist=∃ empty=∅ nabla=∇ isin=∈ notin=∉ ni=∋ prod=∏ sum=∑ minus=− lowast=∗ radic=√ prop=∝ infin=∞ ang=∠ and=∧ or=∨ cap=∩ cup=∪ int=∫ there4=∴ sim=∼ cong=≅ asymp=≈ ne=≠ equiv=≡ le=≤ ge=≥ sub=⊂ sup=⊃ nsub=⊄ sube=⊆ supe=⊇ oplus=⊕ otimes=⊗ perp=⊥ sdot=⋅ loz=◊ spades=♠ clubs=♣ hearts=♥ diams=♦ check=✓ star=☆'
const INVISIBLE = { ensp: 0x2002, emsp: 0x2003, thinsp: 0x2009, zwnj: 0x200c, zwj: 0x200d, lrm: 0x200e, rlm: 0x200f }

const NAMED: ReadonlyMap<string, string> = new Map([
  ...LATIN.split(' ').map((name, i): [string, string] => [name, String.fromCodePoint(0xa0 + i)]),
  ...OTHERS.split(' ').map((pair): [string, string] => [
    pair.slice(0, pair.indexOf('=')),
    pair.slice(pair.indexOf('=') + 1),
  ]),
  ...Object.entries(INVISIBLE).map(([name, code]): [string, string] => [name, String.fromCodePoint(code)]),
])

const NAME = /&([A-Za-z][A-Za-z0-9]{1,9});/g
const REFERENCE = /&(?:#(\d{1,7})|#[Xx]([0-9A-Fa-f]{1,6})|([A-Za-z][A-Za-z0-9]{1,9}));/g

/** Decodes named references once; an unknown one stays as it is. */
function decodeNamed(text: string): string {
  return text.includes('&') ? text.replace(NAME, (whole, name: string) => NAMED.get(name) ?? whole) : text
}

/** Decodes named and numeric references once. */
function decodeReferences(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(REFERENCE, (whole, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return NAMED.get(name) ?? whole
    const code = decimal === undefined ? Number.parseInt(hex ?? '0', 16) : Number.parseInt(decimal, 10)
    return code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) ? '\ufffd' : String.fromCodePoint(code)
  })
}
