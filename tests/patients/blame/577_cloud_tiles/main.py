import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import argparse

from cloudmask.job import Job


def main():
    p = argparse.ArgumentParser(description="train a cloud mask and apply it to a new scene")
    p.add_argument("--tile", type=int, default=32)
    p.add_argument("--epochs", type=int, default=2)
    p.add_argument("--bands", type=int, default=4)
    p.add_argument("--scene", type=int, default=77)
    a = p.parse_args()
    job = Job(bands=a.bands, tile=a.tile, epochs=a.epochs).train()
    iou, reference, cover = job.apply(a.scene)
    print(f"IoU {iou:.3f} (threshold {reference:.3f}), cloud cover {100 * cover:.1f} %")


if __name__ == "__main__":
    main()
