export function make(tag, className, ...children) {
  const element = document.createElement(tag)
  if (className) element.className = className
  element.append(...children)
  return element
}

export const nameOf = ({ first_name, last_name }) => [first_name, last_name].filter(Boolean).join(' ')

export function avatar(name, seed) {
  const element = make('span', 'avatar', name.slice(0, 1))
  element.dataset.tone = String(Math.abs(seed) % 4)
  element.setAttribute('aria-hidden', 'true')
  return element
}

export const sizeOf = (bytes) =>
  bytes < 1024 ? `${bytes} bytes` : `${(bytes / 1024).toFixed(bytes < 10240 ? 1 : 0)} KB`

export async function base64Of(file) {
  const bytes = new Uint8Array(await file.arrayBuffer())
  let text = ''
  for (let at = 0; at < bytes.length; at += 32768) text += String.fromCharCode(...bytes.subarray(at, at + 32768))
  return btoa(text)
}

const SVG = 'http://www.w3.org/2000/svg'

/** A drawing of one line in a square of 24. */
export function icon(path) {
  const element = document.createElementNS(SVG, 'svg')
  element.setAttribute('viewBox', '0 0 24 24')
  element.setAttribute('aria-hidden', 'true')
  const line = document.createElementNS(SVG, 'path')
  line.setAttribute('d', path)
  element.append(line)
  return element
}

/** Makes `wanted` the children of `parent`. What stands in its place already is not touched, so it keeps the focus. */
export function arrange(parent, wanted) {
  const kept = new Set(wanted)
  for (const child of parent.querySelectorAll(':scope > *')) if (!kept.has(child)) child.remove()
  wanted.forEach((child, index) => {
    const there = parent.children[index] ?? null
    if (there !== child) parent.insertBefore(child, there)
  })
}
