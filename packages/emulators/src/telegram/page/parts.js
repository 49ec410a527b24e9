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
