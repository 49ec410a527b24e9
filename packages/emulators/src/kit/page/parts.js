import { texts } from './texts.js'

/** Creates an element with children. */
export function make(tag, className, ...children) {
  const element = document.createElement(tag)
  if (className) element.className = className
  element.append(...children)
  return element
}

/** Returns the full name of a Telegram user. */
export const fullName = ({ first_name, last_name }) => [first_name, last_name].filter(Boolean).join(' ')

/** Creates an avatar with the initial of a name. */
export function avatar(name, seed) {
  const element = make('span', 'avatar', name.slice(0, 1))
  element.dataset.tone = String(Math.abs(seed) % 4)
  element.setAttribute('aria-hidden', 'true')
  return element
}

/** Formats a file size. */
export const formatSize = (bytes) =>
  bytes < 1024 ? texts.bytes(bytes) : `${(bytes / 1024).toFixed(bytes < 10240 ? 1 : 0)} KB`

/** Resolves to the content of a file in base64. */
export async function readBase64(file) {
  const bytes = new Uint8Array(await file.arrayBuffer())
  let text = ''
  for (let at = 0; at < bytes.length; at += 32768) text += String.fromCharCode(...bytes.subarray(at, at + 32768))
  return btoa(text)
}

const SVG = 'http://www.w3.org/2000/svg'

/** Creates an icon from a path in a 24 by 24 square. */
export function icon(path) {
  const element = document.createElementNS(SVG, 'svg')
  element.setAttribute('viewBox', '0 0 24 24')
  element.setAttribute('aria-hidden', 'true')
  const line = document.createElementNS(SVG, 'path')
  line.setAttribute('d', path)
  element.append(line)
  return element
}

/** Makes `wanted` the children of `parent`. Children already in place aren't touched, so they keep the focus. */
export function arrange(parent, wanted) {
  const kept = new Set(wanted)
  for (const child of parent.querySelectorAll(':scope > *')) if (!kept.has(child)) child.remove()
  wanted.forEach((child, index) => {
    const there = parent.children[index] ?? null
    if (there !== child) parent.insertBefore(child, there)
  })
}
