import type { FileStore, StoredFile } from './files.ts'
import type { DocumentRef, Message, PhotoSize } from './wire.ts'

/** The member of a message that shows a file. A photo comes in two sizes, the smaller first. */
export function mediaOf(
  files: FileStore,
  kind: 'photo' | 'document' | 'voice' | 'audio' | 'video',
  file: StoredFile,
): Partial<Message> {
  const reference = { file_id: file.fileId, file_unique_id: file.uniqueId, file_size: file.size }
  const named: DocumentRef = {
    ...reference,
    file_name: file.name,
    mime_type: file.mimeType || 'application/octet-stream',
  }
  switch (kind) {
    case 'photo':
      return { photo: photoSizes(files, file) }
    case 'document':
      return { document: named }
    case 'voice':
      return { voice: { ...reference, mime_type: file.mimeType || 'audio/ogg', duration: 1 } }
    case 'audio':
      return { audio: { ...named, duration: 1 } }
    case 'video':
      return { video: { ...named, duration: 1, width: 640, height: 360 } }
  }
}

function photoSizes(files: FileStore, file: StoredFile): readonly PhotoSize[] {
  const { width, height } = dimensions(file.bytes)
  const scale = 90 / Math.max(width, height, 90)
  const thumbnail = files.thumbnailOf(file)
  return [
    {
      file_id: thumbnail.fileId,
      file_unique_id: thumbnail.uniqueId,
      file_size: thumbnail.size,
      width: Math.max(1, Math.round(width * scale)),
      height: Math.max(1, Math.round(height * scale)),
    },
    { file_id: file.fileId, file_unique_id: file.uniqueId, file_size: file.size, width, height },
  ]
}

interface Dimensions {
  readonly width: number
  readonly height: number
}

/** Of a PNG or a JPEG; anything else is taken for 800 by 600. */
function dimensions(bytes: Uint8Array): Dimensions {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const isPng = view.length >= 24 && view.readUInt32BE(0) === 0x89504e47
  if (isPng) return { width: view.readUInt32BE(16), height: view.readUInt32BE(20) }
  return jpegDimensions(view) ?? { width: 800, height: 600 }
}

/** Walks the segments to the frame header. @see ITU-T T.81, B.1.1 and B.2.2 */
function jpegDimensions(view: Buffer): Dimensions | null {
  if (view.length < 4 || view.readUInt16BE(0) !== 0xffd8) return null
  for (let at = 2; at + 9 <= view.length && view[at] === 0xff; at += 2 + view.readUInt16BE(at + 2)) {
    const marker = view.readUInt8(at + 1)
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return { width: view.readUInt16BE(at + 7), height: view.readUInt16BE(at + 5) }
  }
  return null
}
