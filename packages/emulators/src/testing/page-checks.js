/** Runs in a page; gives what a person could not read or reach there. The result is a list of sentences. */
;(() => {
  const canvas = Object.assign(document.createElement('canvas'), { width: 1, height: 1 }).getContext('2d', {
    willReadFrequently: true,
  })

  /** A page has few colours, and many places. */
  const seen = new Map()

  /** Any CSS colour over an opaque one, as three numbers of 0 to 255. */
  function over(color, ground) {
    const key = `${color} ${ground.join(' ')}`
    const known = seen.get(key) ?? drawn(color, ground)
    seen.set(key, known)
    return known
  }

  function drawn(color, ground) {
    canvas.fillStyle = `rgb(${ground.join(' ')})`
    canvas.fillRect(0, 0, 1, 1)
    canvas.fillStyle = color
    canvas.fillRect(0, 0, 1, 1)
    return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3)
  }

  function findBackground(element) {
    if (element === null) return over('Canvas', [255, 255, 255])
    return over(getComputedStyle(element).backgroundColor, findBackground(element.parentElement))
  }

  /** @see WCAG 2.2, "relative luminance" and "contrast ratio" */
  function luminance(color) {
    const [red, green, blue] = color.map((value) => {
      const part = value / 255
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }

  function contrast(element) {
    const ground = findBackground(element)
    const [dark, light] = [luminance(over(getComputedStyle(element).color, ground)), luminance(ground)].toSorted(
      (a, b) => a - b,
    )
    return (light + 0.05) / (dark + 0.05)
  }

  const found = []
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
    const element = text.parentElement
    if (text.data.trim() === '' || !element.checkVisibility({ opacityProperty: true })) continue
    if (element.closest('script, style, [data-entity=spoiler], .sr') !== null) continue
    const ratio = contrast(element)
    if (ratio < 4.5) found.push(`contrast ${ratio.toFixed(2)}: ${text.data.trim().slice(0, 40)}`)
  }
  const { scrollWidth, clientWidth } = document.documentElement
  if (scrollWidth > clientWidth) found.push(`the page is ${scrollWidth - clientWidth} px too wide`)
  for (const element of document.querySelectorAll('a[href], button, input, textarea, select')) {
    const name = element.ariaLabel ?? element.labels?.[0]?.textContent ?? element.textContent
    const isHidden = !element.checkVisibility() || element.closest('[aria-hidden=true]') !== null
    if (!isHidden && name.trim() === '') found.push(`no name: ${element.outerHTML.slice(0, 80)}`)
  }
  return found
})()
